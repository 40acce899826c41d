/**
 * A daemon as its clients see it, on loopback, without agents or git behind it.
 *
 * It keeps tasks, events and log lines in memory; tests say what happens (`happen`, `say`). It
 * holds the token that it publishes and refuses every other, and can break its connections.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import websocket from "@fastify/websocket"
import fastify, { type FastifyInstance } from "fastify"
import { readVersion, writeDaemonAddress } from "../../src/api/client/daemon-address.ts"
import { stateDir } from "../../src/api/client/state-dir.ts"
import { NO_SECTIONS } from "../../src/api/documents/feature-parts.ts"
import type { EventDocument, LogLineDocument } from "../../src/api/wire/events.ts"
import { BEAT } from "../../src/api/wire/heartbeat.ts"
import type { TaskDocument } from "../../src/api/wire/tasks.ts"

type Socket = { send(text: string): void; terminate(): void; on(e: "close", f: () => void): void }
type Query = { after?: string; task?: string }
type Follower = { readonly socket: Socket; readonly wants: (item: unknown) => boolean }

const AT = "2030-01-02T03:04:05.000Z"
const LINE = { question: null, last: null, costUsd: null, kept: false } as const
/** Small, so that reading page by page happens in tests. */
const PAGE = 3

export class DaemonDouble implements AsyncDisposable {
  /** COPPICE_STATE for commands that must find it. */
  readonly stateRoot = mkdtempSync(join(tmpdir(), "daemon-double-"))
  readonly token = "secret"
  readonly tasks: TaskDocument[] = []
  readonly events: EventDocument[] = []
  readonly lines: LogLineDocument[] = []
  /** Requests as `POST /tasks`, in order. */
  readonly requests: string[] = []
  readonly bodies: unknown[] = []
  /** The effect of POST /down. */
  onDown: () => void = () => {}
  /** Whether every request is cut off before its answer. */
  isCutting = false
  readonly #followers = new Set<Follower>()
  #server: FastifyInstance | undefined

  /** Listens, and publishes where. @param pid whose death means that this daemon has ended. */
  stateDir(home: string): string {
    return stateDir(home, { COPPICE_STATE: this.stateRoot })
  }

  /** @param home real path of the home whose daemon it plays. */
  async start(home = "/nowhere", pid = process.pid): Promise<this> {
    const server = fastify()
    await server.register(websocket)
    server.addHook("onRequest", async (request, reply) => {
      this.requests.push(`${request.method} ${request.url}`)
      if (this.isCutting) request.raw.socket.destroy()
      if (request.headers.authorization !== `Bearer ${this.token}`) return reply.code(401).send({})
    })
    this.#routes(server)
    const address = await server.listen({ host: "127.0.0.1", port: 0 })
    const { token } = this
    writeDaemonAddress(this.stateDir(home), {
      pid,
      address,
      token,
      home,
      version: readVersion(),
      startedAt: AT,
    })
    this.#server = server
    return this
  }

  /** Something happened to a task. */
  happen(type: string, task: string, data: EventDocument["data"] = {}): void {
    const event = { seq: this.events.length + 1, at: AT, type, task, data }
    this.events.push(event)
    const found = this.tasks.find(({ id }) => id === task)
    if (found && typeof data["to"] === "string") found.state = data["to"]
    this.#tell(event)
  }

  /** A task's agent did something. */
  say(task: string, text: string, kind: LogLineDocument["kind"] = "text"): void {
    const seq = this.lines.length + 1
    const line = { seq, at: AT, task, turn: 1, kind, text, call: null }
    this.lines.push(line)
    this.#tell(line)
  }

  /** Sends every follower a sign of life. */
  beat(): void {
    for (const { socket } of this.#followers) socket.send(BEAT)
  }

  /** Cuts every stream, as a network would. */
  breakStreams(): void {
    for (const { socket } of this.#followers) socket.terminate()
  }

  get followers(): number {
    return this.#followers.size
  }

  async stop(): Promise<void> {
    this.breakStreams()
    await this.#server?.close()
  }

  async [Symbol.asyncDispose]() {
    await this.stop()
    rmSync(this.stateRoot, { recursive: true, force: true })
  }

  #tell(item: EventDocument | LogLineDocument): void {
    for (const { socket, wants } of this.#followers)
      if (wants(item)) socket.send(JSON.stringify(item))
  }

  #follow(socket: Socket, past: readonly unknown[], wants: Follower["wants"]): void {
    const follower = { socket, wants }
    this.#followers.add(follower)
    socket.on("close", () => this.#followers.delete(follower))
    for (const item of past) socket.send(JSON.stringify(item))
  }

  #routes(server: FastifyInstance): void {
    server.get("/status", async () => this.#status())
    server.post("/down", async (_, reply) => {
      this.onDown()
      return reply.code(202).send({})
    })
    const listAll = async () => ({
      // Whole documents with the extra columns of lines.
      tasks: this.tasks.map((task) => ({ ...LINE, ...task })),
    })
    server.get("/tasks", listAll)
    server.get("/task-lines", listAll)
    server.post("/tasks", async ({ body }) => this.#create(body as { prompt: string }))
    server.get<{ Params: { ref: string } }>("/tasks/:ref", async ({ params }, reply) => {
      return (
        this.tasks.find(({ id }) => id === params.ref) ?? reply.code(404).send(notFound(params.ref))
      )
    })
    server.post<{ Params: { ref: string; action: string } }>(
      "/tasks/:ref/:action",
      async (request) => {
        return this.tasks.find(({ id }) => id === request.params.ref)
      },
    )
    server.get("/tasks/:ref/files", async () => ({ files: [] }))
    server.get<{ Params: { ref: string } }>("/tasks/:ref/why", async ({ params }) => ({
      task: params.ref,
      waitingFor: "a person: README.md in your checkout is modified",
      since: AT,
      unblock: "commit or stash it",
      paths: ["README.md"],
    }))
    this.#streams(server)
  }

  #streams(server: FastifyInstance): void {
    const events = (query: Query) => (item: unknown) => isEvent(item) && isWanted(item, query)
    const lines = (task: string, query: Query) => (item: unknown) =>
      !isEvent(item) && isWanted(item as LogLineDocument, { ...query, task })
    type Route = { Params: { ref: string }; Querystring: Query }
    server.get<Route>("/events", async ({ query }) => ({
      events: this.events.filter(events(query)).slice(0, PAGE),
    }))
    server.get<Route>("/tasks/:ref/log", async ({ params, query }) => ({
      lines: this.lines.filter(lines(params.ref, query)).slice(0, PAGE),
    }))
    server.get<Route>("/events/follow", { websocket: true }, (socket, { query }) => {
      const past = this.events.filter(events(query))
      this.#follow(socket, past, events({ ...query, after: "0" }))
    })
    server.get<Route>(
      "/tasks/:ref/log/follow",
      {
        websocket: true,
        preValidation: async ({ params }, reply) => {
          const isKnown = this.tasks.some(({ id }) => id === params.ref)
          if (!isKnown) return reply.code(404).send(notFound(params.ref))
        },
      },
      (socket, { params, query }) => {
        const past = this.lines.filter(lines(params.ref, query))
        this.#follow(socket, past, lines(params.ref, { after: "0" }))
      },
    )
  }

  #status() {
    const known = { pid: process.pid, address: "http://127.0.0.1", version: "0.0.0", uptimeS: 61 }
    return { running: true, home: "/home", ...known, tasks: { working: 1 } }
  }

  #create(body: { prompt: string }) {
    this.bodies.push(body)
    const task = taskDocument(String(this.tasks.length + 1), body.prompt)
    this.tasks.push(task)
    this.happen("task.created", task.id)
    const taken = {
      agent: "claude",
      runtime: "claude",
      repo: "/repo",
      target: "main",
      gate: null,
      setup: null,
      land: "merge",
      repos: [{ name: "/repo", target: "main", gate: null, setup: null, notes: [] }],
    }
    return { task, taken }
  }
}

export function taskDocument(id: string, title: string, state = "registered"): TaskDocument {
  return {
    id,
    title,
    agent: "claude",
    standIn: null,
    state,
    reason: null,
    attention: false,
    can: [],
    workItem: null,
    priority: 0,
    after: [],
    ...NO_SECTIONS,
    parent: null,
    repos: [],
    sessionId: null,
    jobs: [],
    landing: null,
    plan: null,
    deletion: null,
    usage: {
      turns: 0,
      inputTokens: 0,
      outputTokens: 0,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      costUsd: null,
    },
    createdAt: AT,
    updatedAt: AT,
  }
}

function isEvent(item: unknown): item is EventDocument {
  return typeof item === "object" && item !== null && "type" in item
}

function isWanted(
  item: { seq: number; task: string | null },
  { after = "0", task }: Query,
): boolean {
  return item.seq > Number(after) && (task === undefined || item.task === task)
}

function notFound(ref: string) {
  const message = `There is no task ${ref}.`
  return { error: { code: "task.not_found", blame: "user", message, hints: ["coppice ls"] } }
}
