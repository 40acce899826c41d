/**
 * The client of a home's daemon, over HTTP and WebSocket on loopback.
 *
 * Modules for rare requests are imported when needed, so that `coppice ls` starts fast.
 */

import { AppError } from "../../base/errors.ts"
import type { Env } from "../../config/substitute.ts"
import type { StatusDocument } from "../wire/home.ts"
import { addressOf, ROUTES, type Route, type RouteName } from "../wire/routes.ts"
import type { Calls, Client, TaskAction } from "./client.ts"
import {
  type DaemonAddress,
  findDaemon,
  hasEverRun,
  hasShutDown,
  readVersion,
} from "./daemon-address.ts"
import { DaemonGoneError } from "./errors.ts"
import type { Stream } from "./follow-stream.ts"
import { findHome } from "./home.ts"
import { type Answered, exchange, type HttpAnswer, understand } from "./http.ts"
import type { OtherDaemon } from "./other-daemon.ts"
import { stateDir } from "./state-dir.ts"

export type ConnectOptions = {
  /** The folder to find the home from. Default: the current one. */
  readonly cwd?: string
  /** As `--home`. */
  readonly home?: string | undefined
  /** Default: the process's own. In the environment of a task, the client only reads. */
  readonly env?: Env
  /** Called when the daemon says that a request takes a while. */
  readonly onAccepted?: () => void
  /** Called when the daemon is of another version and busy, or has other variables. */
  readonly onOtherDaemon?: (other: OtherDaemon) => unknown
  /** Reads a home whose daemon was ended. Without it, a read starts the next daemon. */
  readonly readEnded?: ReadEnded
  /** False: no read starts a daemon, not even the first one, or the next after one that died. */
  readonly startsToRead?: boolean
}

/** Answers a GET request from the store, and starts nothing. @param home a real path. */
export type ReadEnded = (home: string, path: string, stateDir: string) => Promise<Answered>

/** Finds the home; contacts no daemon yet. @throws HomeNotFoundError */
export function connect(options: ConnectOptions = {}): Client {
  const { cwd = process.cwd(), env = process.env } = options
  const { home } = findHome(cwd, { home: options.home, env })
  const caller = new Caller({ home, stateDir: stateDir(home, env, "read"), env }, options)
  const methods = Object.keys(ROUTES).map((name) => [name, caller.method(name as RouteName)])
  const calls = Object.fromEntries(methods) as Calls
  return {
    ...calls,
    home,
    act: (ref: string, action: TaskAction) => calls[action === "land" ? "landTask" : action](ref),
    gc: ({ dryRun = false } = {}) => (dryRun ? calls.planGc() : calls.gc()),
    status: () => caller.status(),
    up: async () => {
      refuseAgents(env)
      return calls.status()
    },
    down: () => caller.down(),
  }
}

/** An agent, a set-up or a gate asked for a decision that only a person may make. */
class AgentRefusedError extends AppError {
  constructor(message: string) {
    const hints = ["End the turn and say what should be done: a person does it."]
    super("agent.refused", "user", message, { hints })
  }
}

/**
 * Law 9, for the program on the PATH of an agent, a set-up or a gate: all have these variables.
 * COPPICE_PROCESS marks every process of a daemon.
 *
 * @throws AgentRefusedError
 */
export function refuseAgents(env: Env): void {
  if (isInsideTask(env))
    throw new AgentRefusedError("Agents report and do not decide: inside a task, only look.")
}

const isInsideTask = (env: Env): boolean =>
  Boolean((env["COPPICE_TASK"] && env["COPPICE_JOB"]) || env["COPPICE_PROCESS"])

type Place = { readonly home: string; readonly stateDir: string; readonly env: Env }

/** The arguments of a method: a reference if its path has one, then the query or body. */
type Given = readonly (string | Readonly<Record<string, unknown>> | undefined)[]

class Caller {
  readonly #place: Place
  readonly #options: ConnectOptions

  constructor(place: Place, options: ConnectOptions) {
    this.#place = place
    this.#options = options
  }

  /** The method of the client for a route. */
  method(name: RouteName): (...given: Given) => unknown {
    const route: Route = ROUTES[name]
    const split = (given: Given) => (route.at.includes(":") ? given : ["", ...given])
    return (...given) => {
      const [ref, asked = {}] = split(given) as [string, Record<string, unknown>?]
      return route.isFollowed ? this.#follow(route, ref, asked) : this.#call(route, ref, asked)
    }
  }

  async status(): Promise<StatusDocument> {
    const daemon = this.#find()
    const answer = daemon && (await exchange(daemon, addressOf(ROUTES.status.at)))
    return answer?.kind === "answered"
      ? (answer.body as StatusDocument)
      : notRunning(this.#place.home)
  }

  async down(): Promise<StatusDocument> {
    refuseAgents(this.#place.env)
    const { tasks } = await this.status()
    const daemon = this.#find()
    if (daemon) {
      const { endDaemon } = await import("./end-daemon.ts")
      await endDaemon(daemon)
    }
    return { ...notRunning(this.#place.home), tasks }
  }

  #find(): DaemonAddress | undefined {
    const { home, env } = this.#place
    return findDaemon(stateDir(home, env, "read")) // another user may have made it since
  }

  /** The daemon that runs. An older one ends first, if it has nothing to do. */
  async #findFitting({ isStarting }: Route): Promise<DaemonAddress | undefined> {
    const daemon = this.#find()
    const { env } = this.#place
    if (!daemon || isInsideTask(env)) return daemon
    const own = readVersion()
    if (daemon.version !== own) {
      const { endIfIdle, isOlder } = await import("./end-daemon.ts")
      if (isOlder(daemon.version, own) && (await endIfIdle(daemon))) return undefined
      await this.#options.onOtherDaemon?.({ kind: "version", daemon: daemon.version, own })
    }
    if (!isStarting || !daemon.environment) return daemon
    const { differingNames } = await import("./other-daemon.ts")
    const names = differingNames(daemon.environment, env, daemon.token)
    if (names.length > 0) await this.#options.onOtherDaemon?.({ kind: "environment", names })
    return daemon
  }

  /** Asks the running daemon; if it has ended completely, the next one. */
  async #call(route: Route, ref: string, asked: Record<string, unknown>): Promise<unknown> {
    const { onAccepted, startsToRead = true } = this.#options
    const { method, path } = addressOf(route.at, ref)
    const changesNothing = method === "GET" || route.isReading
    if (!changesNothing) refuseAgents(this.#place.env)
    const request = {
      method,
      ...(method === "GET" ? { path: path + search(asked) } : { path, body: asked }),
      ...(!changesNothing && { key: crypto.randomUUID() }),
      onAccepted,
    }
    const daemon = await this.#findFitting(route)
    const first = daemon && (await exchange(daemon, request))
    if (first?.kind === "answered") return first.body
    const mayStart = !changesNothing || startsToRead
    if (!mayStart || (!daemon && hasShutDown(this.#place.stateDir))) {
      const read = await this.#readStore(route, request.path)
      if (read?.kind === "answered") return read.body
    }
    if (!mayStart)
      throw new DaemonGoneError(hasEverRun(this.#place.stateDir) ? NONE_RUNS : NONE_HAS_RUN)
    const mayRepeat = changesNothing || route.isRepeatable
    if (first?.kind === "broken" && !mayRepeat) throw new DaemonGoneError(CUT_OFF, SEE_TASKS)

    const isSilent = first?.kind === "unreachable"
    const second = await exchange(await this.#start(daemon, isSilent), request)
    if (second.kind === "answered") return second.body
    throw new DaemonGoneError("The daemon does not answer at the address that it published.")
  }

  /** The answer to a GET from the store; not the status, which `up` asks for to start a daemon. */
  async #readStore(route: Route, path: string): Promise<HttpAnswer | undefined> {
    const { home, stateDir } = this.#place
    const { readEnded } = this.#options
    const isRead = route.at.startsWith("GET") && route !== ROUTES.status
    if (!readEnded || !isRead || !hasEverRun(stateDir)) return undefined
    return understand(await readEnded(home, path, stateDir))
  }

  /** @param isSilent nothing answers at its address; if no identity is known, we wait only briefly. */
  async #start(last: DaemonAddress | undefined, isSilent: boolean): Promise<DaemonAddress> {
    refuseAgents(this.#place.env)
    const { startDaemon } = await import("./start-daemon.ts")
    const { untilGone } = await import("./end-daemon.ts")
    const waitMsMax = isSilent && last?.identity === undefined ? LAST_STEP_MS_MAX : undefined
    if (last) await untilGone(last, waitMsMax) // a hanging one still has its home: the start reports that
    const { home, env } = this.#place
    return startDaemon({ ...this.#place, stateDir: stateDir(home, env) })
  }

  async *#follow(
    { at }: Route,
    ref: string,
    { signal, after = 0, onWriting, ...query }: Record<string, unknown>,
  ): AsyncIterable<{ readonly seq: number }> {
    const { followStream } = await import("./follow-stream.ts")
    const asked = onWriting ? { ...query, writing: true } : query
    const path = (after: number) => addressOf(at, ref).path + search({ ...asked, after })
    const given = { signal, onWriting } as Pick<Stream, "signal" | "onWriting">
    const find = () => this.#find()
    const wasEnded = () => hasShutDown(this.#place.stateDir)
    yield* followStream({ find, wasEnded, path, after: Number(after), ...given })
  }
}

/** A daemon that no longer listens only has to close its database and lock. */
const LAST_STEP_MS_MAX = 1_000
const CUT_OFF = "The daemon ended before it answered; it may have carried out the request."
const NONE_RUNS = "No daemon runs in this home."
const NONE_HAS_RUN = "Coppice has not run in this home yet, so it has no tasks."
const SEE_TASKS = ["`coppice ls` shows what was done.", DaemonGoneError.start]

function search(query: Readonly<Record<string, unknown>>): string {
  const given = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) given.set(name, String(value))
  const text = given.toString()
  return text && `?${text}`
}

function notRunning(home: string): StatusDocument {
  const absent = { pid: null, address: null, version: null, uptimeS: null }
  return {
    running: false,
    home,
    ...absent,
    tasks: {},
    maintenance: null,
    pool: null,
    schedules: null,
    sources: null,
    limits: null,
  }
}
