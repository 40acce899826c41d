/**
 * The client of a home's daemon, over HTTP and WebSocket on loopback.
 *
 * Modules for rare requests are imported when needed, so that `coppice ls` starts fast.
 */

import { AppError } from "../core/errors.ts"
import type { NewAnswer, QuestionsDocument } from "../core/wire/agent.ts"
import type {
  AttachDocument,
  DiffDocument,
  EventsDocument,
  LandDocument,
  LandingOrder,
  LandingPlanDocument,
  LogDocument,
  QueueDocument,
  RescuesDocument,
  RestoredDocument,
  ToAttach,
  ToRestore,
  UndoPlanDocument,
  WorkToLand,
} from "../core/wire/documents.ts"
import type { GcDocument } from "../core/wire/gc.ts"
import type {
  AddedWorktreeDocument,
  NewWorktree,
  RemovedWorktreesDocument,
  WorktreesDocument,
} from "../core/wire/worktrees.ts"
import type {
  CreatedDocument,
  Deletion,
  EventDocument,
  LogLineDocument,
  NewApproval,
  NewTask,
  Rejection,
  SaidWords,
  StatusDocument,
  TaskDocument,
  TaskLinesDocument,
  TasksDocument,
  WhyDocument,
  Words,
} from "../core/wire.ts"
import type {
  Client,
  DiffQuery,
  EventQuery,
  Following,
  LogQuery,
  Page,
  TaskAction,
} from "./client.ts"
import { type DaemonAddress, findDaemon, hasEnded } from "./daemon-address.ts"
import { DaemonGoneError } from "./errors.ts"
import { findHome } from "./home.ts"
import { type Answered, exchange, type HttpRequest, understand } from "./http.ts"
import { stateDir } from "./state-dir.ts"

type Env = Readonly<Record<string, string | undefined>>

export type ConnectOptions = {
  /** The folder to find the home from. Default: the current one. */
  readonly cwd?: string
  /** As `--home`. */
  readonly home?: string | undefined
  /** Default: the process's own. In the environment of a task, the client only reads. */
  readonly env?: Env
  /** Called when the daemon says that a request takes a while. */
  readonly onAccepted?: () => void
  /** Reads a home whose daemon was ended. Without it, a read starts the next daemon. */
  readonly readEnded?: ReadEnded
}

/** Answers a GET request from the store, and starts nothing. @param home a real path. */
export type ReadEnded = (home: string, path: string) => Promise<Answered>

/** Finds the home; contacts no daemon yet. @throws HomeNotFoundError */
export function connect(options: ConnectOptions = {}): Client {
  const { cwd = process.cwd(), env = process.env } = options
  const { home } = findHome(cwd, { home: options.home, env })
  return new HttpClient({ home, stateDir: stateDir(home, env), env }, options)
}

/** An agent, a set-up or a gate asked for a decision that only a person may make. */
class AgentRefusedError extends AppError {
  override readonly name = "AgentRefusedError"
  readonly code = "agent.refused"
  readonly blame = "user"
  override readonly hints = ["End the turn and say what should be done: a person does it."]
}

/**
 * Law 9, for the program on the PATH of an agent, a set-up or a gate: all have these variables.
 * COPPICE_PROCESS marks every process of a daemon.
 *
 * @throws AgentRefusedError
 */
export function refuseAgents(env: Env): void {
  if ((env["COPPICE_TASK"] && env["COPPICE_JOB"]) || env["COPPICE_PROCESS"])
    throw new AgentRefusedError("Agents report and do not decide: inside a task, only look.")
}

type Place = { readonly home: string; readonly stateDir: string; readonly env: Env }

class HttpClient implements Client {
  readonly home: string
  readonly #stateDir: string
  readonly #env: Env

  readonly #options: Pick<ConnectOptions, "onAccepted" | "readEnded">

  constructor({ home, stateDir, env }: Place, options: ConnectOptions) {
    this.#options = options
    this.home = home
    this.#stateDir = stateDir
    this.#env = env
  }

  create(task: NewTask): Promise<CreatedDocument> {
    return this.#decide("/tasks", task)
  }

  list(): Promise<TasksDocument> {
    return this.#read("/tasks")
  }

  listLines(): Promise<TaskLinesDocument> {
    return this.#read("/tasks?view=line")
  }

  show(ref: string): Promise<TaskDocument> {
    return this.#read(taskPath(ref))
  }

  why(ref: string): Promise<WhyDocument> {
    return this.#read(`${taskPath(ref)}/why`)
  }

  diff(ref: string, query: DiffQuery = {}): Promise<DiffDocument> {
    return this.#read(`${taskPath(ref)}/diff${search(query)}`)
  }

  queue(): Promise<QueueDocument> {
    return this.#read("/queue")
  }

  act(ref: string, action: TaskAction): Promise<TaskDocument> {
    return this.#decide(`${taskPath(ref)}/${action}`, {})
  }

  resume(ref: string, words: Words = {}): Promise<TaskDocument> {
    return this.#decide(`${taskPath(ref)}/resume`, words)
  }

  restart(ref: string, words: Words = {}): Promise<TaskDocument> {
    return this.#decide(`${taskPath(ref)}/restart`, words)
  }

  say(ref: string, words: SaidWords): Promise<TaskDocument> {
    return this.#decide(`${taskPath(ref)}/say`, words)
  }

  delete(ref: string, how: Deletion = {}): Promise<TaskDocument> {
    return this.#decide(`${taskPath(ref)}/delete`, how)
  }

  attach(ref: string, who: ToAttach): Promise<AttachDocument> {
    return this.#decide(`${taskPath(ref)}/attach`, who)
  }

  detach(ref: string, who: ToAttach): Promise<TaskDocument> {
    return this.#decide(`${taskPath(ref)}/detach`, who)
  }

  undo(ref: string, order: LandingOrder = {}): Promise<TaskDocument> {
    return this.#decide(`/undo/${encodeURIComponent(ref)}`, order)
  }

  planUndo(ref: string): Promise<UndoPlanDocument> {
    return this.#read(`/undo/${encodeURIComponent(ref)}`)
  }

  land(work: WorkToLand): Promise<LandDocument> {
    return this.#decide("/land", work)
  }

  planLanding(work: WorkToLand): Promise<LandingPlanDocument> {
    return this.#request({ method: "POST", path: "/land/plan", body: work })
  }

  rescues(): Promise<RescuesDocument> {
    return this.#read("/rescues")
  }

  restore(wanted: ToRestore): Promise<RestoredDocument> {
    return this.#decide("/rescues", wanted)
  }

  gc({ dryRun = false }: { readonly dryRun?: boolean } = {}): Promise<GcDocument> {
    return dryRun ? this.#read("/gc") : this.#decide("/gc", {})
  }

  worktrees(): Promise<WorktreesDocument> {
    return this.#read("/worktrees")
  }

  addWorktree(wanted: NewWorktree): Promise<AddedWorktreeDocument> {
    return this.#decide("/worktrees", wanted)
  }

  removeWorktree(ref: string): Promise<RemovedWorktreesDocument> {
    return this.#decide(`/worktrees/${encodeURIComponent(ref)}/remove`, {})
  }

  pruneWorktrees(): Promise<RemovedWorktreesDocument> {
    return this.#decide("/worktrees/prune", {})
  }

  approve(ref: string, what: NewApproval = {}): Promise<TaskDocument> {
    return this.#decide(`${taskPath(ref)}/approve`, what)
  }

  reject(ref: string, rejection: Rejection = {}): Promise<TaskDocument> {
    return this.#decide(`${taskPath(ref)}/reject`, rejection)
  }

  questions(ref: string): Promise<QuestionsDocument> {
    return this.#read(`${taskPath(ref)}/questions`)
  }

  answer(ref: string, answer: NewAnswer): Promise<TaskDocument> {
    return this.#decide(`${taskPath(ref)}/answer`, answer)
  }

  events(query: EventQuery = {}): Promise<EventsDocument> {
    return this.#read(`/events${search(query)}`)
  }

  followEvents({ signal, ...query }: EventQuery & Following = {}): AsyncIterable<EventDocument> {
    return this.#follow((after) => `/events/follow${search({ ...query, after })}`, query, signal)
  }

  log(ref: string, query: LogQuery = {}): Promise<LogDocument> {
    return this.#read(`${taskPath(ref)}/log${search(query)}`)
  }

  followLog(
    ref: string,
    { signal, ...query }: Page & Following = {},
  ): AsyncIterable<LogLineDocument> {
    const path = (after: number) => `${taskPath(ref)}/log/follow${search({ after })}`
    return this.#follow(path, query, signal)
  }

  async status(): Promise<StatusDocument> {
    const daemon = findDaemon(this.#stateDir)
    const answer = daemon && (await exchange(daemon, { method: "GET", path: "/status" }))
    return answer?.kind === "answered" ? (answer.body as StatusDocument) : notRunning(this.home)
  }

  async up(): Promise<StatusDocument> {
    refuseAgents(this.#env)
    return this.#read("/status")
  }

  async down(): Promise<StatusDocument> {
    refuseAgents(this.#env)
    const { tasks } = await this.status()
    const daemon = findDaemon(this.#stateDir)
    if (daemon) {
      const { endDaemon } = await import("./end-daemon.ts")
      await endDaemon(daemon)
    }
    return { ...notRunning(this.home), tasks }
  }

  #read<Document>(path: string): Promise<Document> {
    return this.#request({ method: "GET", path })
  }

  async #decide<Document>(path: string, body: unknown): Promise<Document> {
    refuseAgents(this.#env)
    return this.#request({ method: "POST", path, body, key: crypto.randomUUID() })
  }

  /** Asks the running daemon; if it has ended completely, the next one. */
  async #request<Document>(asked: HttpRequest): Promise<Document> {
    const { onAccepted, readEnded } = this.#options
    const request = { ...asked, onAccepted }
    const daemon = findDaemon(this.#stateDir)
    if (!daemon && readEnded && isRead(request) && hasEnded(this.#stateDir)) {
      const answer = understand(await readEnded(this.home, request.path))
      if (answer.kind === "answered") return answer.body as Document
    }
    const first = daemon && (await exchange(daemon, request))
    if (first?.kind === "answered") return first.body as Document
    const isRepeatable = request.method === "GET" || KEYED.includes(request.path)
    if (first?.kind === "broken" && !isRepeatable) throw new DaemonGoneError(CUT, SEE)

    const isSilent = first?.kind === "unreachable"
    const second = await exchange(await this.#start(daemon, isSilent), request)
    if (second.kind === "answered") return second.body as Document
    throw new DaemonGoneError("The daemon does not answer at the address that it published.")
  }

  /** @param isSilent no process with its token answers; without an identity, it is not ours. */
  async #start(last: DaemonAddress | undefined, isSilent: boolean): Promise<DaemonAddress> {
    refuseAgents(this.#env)
    const { startDaemon } = await import("./start-daemon.ts")
    const { untilGone } = await import("./until-gone.ts")
    const waitMsMax = isSilent && last?.identity === undefined ? LAST_STEP_MS_MAX : undefined
    if (last) await untilGone(last, waitMsMax) // a hanging one still has its home: the start reports that
    return startDaemon({ home: this.home, stateDir: this.#stateDir, env: this.#env })
  }

  async *#follow<Item extends { readonly seq: number }>(
    path: (after: number) => string,
    { after = 0 }: Page,
    signal: AbortSignal | undefined,
  ): AsyncIterable<Item> {
    const { follow } = await import("./follow.ts")
    yield* follow<Item>({ find: () => findDaemon(this.#stateDir), path, after, signal })
  }
}

/** Requests whose key the store keeps, so that the next daemon does not repeat them. */
const KEYED = ["/tasks"]
/** A daemon that no longer listens only has to close its database and lock. */
const LAST_STEP_MS_MAX = 1_000
const CUT = "The daemon has ended before it answered; it may have done what it was asked for."
const SEE = "`coppice ls` shows what was done."

/** `up` asks for the status of a daemon that runs. */
const isRead = ({ method, path }: HttpRequest) => method === "GET" && path !== "/status"

function taskPath(ref: string): string {
  return `/tasks/${encodeURIComponent(ref)}`
}

function search(query: Readonly<Record<string, string | number | undefined>>): string {
  const given = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) given.set(name, String(value))
  const text = given.toString()
  return text && `?${text}`
}

function notRunning(home: string): StatusDocument {
  const absent = { pid: null, address: null, version: null, uptimeS: null }
  return { running: false, home, ...absent, tasks: {}, maintenance: null, pool: null }
}
