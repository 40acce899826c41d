/**
 * The client of a home's daemon, over HTTP and WebSocket on loopback.
 *
 * What only some requests need is imported when it is needed: `coppice ls` shall start at once.
 */
import type { EventsDocument, LogDocument } from "../core/documents.ts"
import type {
  CreatedDocument,
  EventDocument,
  LogLineDocument,
  NewTask,
  StatusDocument,
  TaskDocument,
  TasksDocument,
  WhyDocument,
} from "../core/wire.ts"
import type { Client, EventQuery, Following, Page, TaskAction } from "./client.ts"
import { type DaemonAddress, findDaemon } from "./daemon-address.ts"
import { DaemonGoneError } from "./errors.ts"
import { findHome } from "./home.ts"
import { exchange, type HttpRequest } from "./http.ts"
import { stateDir } from "./state-dir.ts"

export type ConnectOptions = {
  /** Where to look for the home. Default: the process's own folder. */
  readonly cwd?: string
  /** As `--home`. */
  readonly home?: string | undefined
  readonly env?: Readonly<Record<string, string | undefined>>
}

/** Finds the home; talks to nobody yet. @throws HomeNotFoundError */
export function connect(options: ConnectOptions = {}): Client {
  const { cwd = process.cwd(), env = process.env } = options
  const { home } = findHome(cwd, { home: options.home, env })
  return new HttpClient(home, stateDir(home, env), env)
}

class HttpClient implements Client {
  readonly home: string
  readonly #stateDir: string
  readonly #env: Readonly<Record<string, string | undefined>>

  constructor(home: string, stateDir: string, env: Readonly<Record<string, string | undefined>>) {
    this.home = home
    this.#stateDir = stateDir
    this.#env = env
  }

  create(task: NewTask): Promise<CreatedDocument> {
    return this.#request({ method: "POST", path: "/tasks", body: task })
  }

  list(): Promise<TasksDocument> {
    return this.#read("/tasks")
  }

  show(ref: string): Promise<TaskDocument> {
    return this.#read(taskPath(ref))
  }

  why(ref: string): Promise<WhyDocument> {
    return this.#read(`${taskPath(ref)}/why`)
  }

  act(ref: string, action: TaskAction): Promise<TaskDocument> {
    return this.#request({ method: "POST", path: `${taskPath(ref)}/${action}`, body: {} })
  }

  events(query: EventQuery = {}): Promise<EventsDocument> {
    return this.#read(`/events${search(query)}`)
  }

  followEvents({ signal, ...query }: EventQuery & Following = {}): AsyncIterable<EventDocument> {
    return this.#follow((after) => `/events/follow${search({ ...query, after })}`, query, signal)
  }

  log(ref: string, query: Page = {}): Promise<LogDocument> {
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

  up(): Promise<StatusDocument> {
    return this.#read("/status")
  }

  async down(): Promise<StatusDocument> {
    const daemon = findDaemon(this.#stateDir)
    if (daemon) {
      const { endDaemon } = await import("./end-daemon.ts")
      await endDaemon(daemon)
    }
    return notRunning(this.home)
  }

  #read<Document>(path: string): Promise<Document> {
    return this.#request({ method: "GET", path })
  }

  /** An answer that was never given was never carried out either, so asking again is safe. */
  async #request<Document>(request: HttpRequest): Promise<Document> {
    const daemon = findDaemon(this.#stateDir)
    const first = daemon && (await exchange(daemon, request))
    if (first?.kind === "answered") return first.body as Document

    const second = await exchange(await this.#start(), request)
    if (second.kind === "answered") return second.body as Document
    throw new DaemonGoneError("The daemon does not answer at the address that it published.")
  }

  async #start(): Promise<DaemonAddress> {
    const { startDaemon } = await import("./start-daemon.ts")
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
  return { running: false, home, ...absent, tasks: {} }
}
