/**
 * A person's shell over a WebSocket, for a page that is logged in and no other program.
 *
 * A WebSocket cannot say why it was refused. So the page first asks the same path without an upgrade.
 */
import type { WebSocket } from "@fastify/websocket"
import type { FastifyInstance, FastifyRequest } from "fastify"
import type { Serving } from "../../api/feature-host.ts"
import type { Fleet } from "../../api/fleet.ts"
import { isForPage, isOfPage } from "../../api/server/browser-access.ts"
import { parse } from "../../api/server/routes.ts"
import { type Answer, ROUTES } from "../../api/wire/routes.ts"
import { toErrorDocument } from "../../base/errors.ts"
import { DaemonEndingError, DaemonError } from "../../kernel/errors.ts"
import { findTaskByRef } from "../../kernel/tasks/actions/find-task.ts"
import type { Task } from "../../kernel/tasks/rows/row.ts"
import type { Page, Terminal } from "./terminal.ts"
import type { Terminals } from "./terminals.ts"
import { TerminalRequest, TerminalWords } from "./wire.ts"

type Context = Pick<Serving, "fleet" | "isEnding" | "isPersons"> & {
  readonly terminals: Pick<Terminals, "placeFor" | "find" | "open">
}
type Request = FastifyRequest<{ Params: { ref: string } }>
type Asked = { readonly task: Task; readonly given: TerminalRequest }

export function terminalRoute(server: FastifyInstance, context: Context): void {
  const { fleet, terminals, isEnding, isPersons } = context
  const preValidation = async (request: Request) => {
    if (isEnding()) throw new DaemonEndingError()
    const isInPage = isOfPage(request.headers) || isForPage(request.headers)
    if (!isInPage || !isPersons(request))
      throw new DaemonError("request.unauthorized", "A terminal opens only in the dashboard.")
    const { task, given } = askedBy(fleet, request)
    if (!findKnown(terminals, { task, given })) terminals.placeFor(task, given.repo)
  }
  const [, url = ""] = ROUTES.terminal.at.split(" ")
  server.route<{ Params: { ref: string } }>({
    method: "GET",
    url,
    preValidation,
    handler: async ({ query }): Promise<Answer<"terminal">> => {
      const { terminal = "", after } = parse(TerminalRequest, query)
      return { terminal, next: after, notice: null, ended: null }
    },
    wsHandler: (socket, request) => void serve(context, socket, request),
  })
}

/** A page that comes back to a terminal that has ended gets no other one. */
function findKnown(terminals: Context["terminals"], { task, given }: Asked): Terminal | undefined {
  if (given.terminal === undefined) return undefined
  const found = terminals.find(task, given.terminal)
  if (found) return found
  throw new DaemonError("task.refused", `This terminal of task ${task.id} has ended.`)
}

const askedBy = (fleet: Fleet, { params, query }: Request): Asked => ({
  task: findTaskByRef(fleet, params.ref),
  given: parse(TerminalRequest, query),
})

/** A page that is gone without notice, as after the sleep of a laptop, answers no ping. */
const PING_MS = 10_000
const LOGGED_OUT = "This browser is logged out."

async function serve(context: Context, socket: WebSocket, request: Request): Promise<void> {
  const { terminals } = context
  const page = pageOf(socket)
  let shown: Terminal | undefined
  endWhenSilent(socket, () => {
    if (shown && !context.isPersons(request)) shown.end(LOGGED_OUT)
  })
  const early: [Buffer, boolean][] = []
  const hold = (data: Buffer, isBinary: boolean) => void early.push([data, isBinary])
  socket.on("message", hold)
  socket.on("error", () => socket.terminate()) // a broken connection: its page comes back
  try {
    const { given, task } = askedBy(context.fleet, request)
    const known = findKnown(terminals, { task, given })
    const terminal = known ?? (await terminals.open(task, given.repo, given))
    socket.off("message", hold)
    shown = terminal
    const listen = listener({ context, socket, request, terminal })
    socket.on("message", listen)
    socket.on("close", () => terminal.disconnect(page))
    terminal.connect(page, given.after)
    if (known) terminal.resize(given)
    for (const [data, isBinary] of early) listen(data, isBinary)
    if (socket.readyState !== socket.OPEN) terminal.disconnect(page)
  } catch (error) {
    const { message } = toErrorDocument(error).error
    page.note({ terminal: "", next: 0, notice: null, ended: message })
    page.close()
  }
}

/** @param onAlive called at each ping. */
function endWhenSilent(socket: WebSocket, onAlive: () => void): void {
  let isAlive = true
  const timer = setInterval(() => {
    if (!isAlive) return socket.terminate()
    isAlive = false
    socket.ping()
    attempt(socket, onAlive)
  }, PING_MS)
  socket.on("pong", () => {
    isAlive = true
  })
  socket.on("close", () => clearInterval(timer))
}

const pageOf = (socket: WebSocket): Page => ({
  send: (output) => socket.send(output),
  note: (note) => socket.send(JSON.stringify(note)),
  close: () => socket.close(),
})

type Served = {
  readonly context: Context
  readonly socket: WebSocket
  readonly request: Request
  readonly terminal: Terminal
}

/** Each message needs the session, which may have ended since the page opened its terminal. */
function listener({ context, socket, request, terminal }: Served) {
  const take = (data: Buffer, isBinary: boolean): void => {
    if (!context.isPersons(request)) terminal.end(LOGGED_OUT)
    else if (!isBinary) obey(terminal, readJson(data))
    else if (!terminal.type(data, () => socket.resume())) socket.pause()
  }
  return (data: Buffer, isBinary: boolean) => attempt(socket, () => take(data, isBinary))
}

/** The store may be busy. An error in a listener would end the daemon; so it ends the connection. */
function attempt(socket: WebSocket, act: () => void): void {
  try {
    act()
  } catch {
    socket.terminate() // the page connects again
  }
}

function obey(terminal: Terminal, said: unknown): void {
  const { data: message } = TerminalWords.safeParse(said)
  if (!message) terminal.end("Its page sent what is no message.")
  else if ("seen" in message) terminal.see(message.seen)
  else if ("end" in message) terminal.end("You ended it.")
  else terminal.resize(message)
}

function readJson(data: Buffer): unknown {
  try {
    return JSON.parse(data.toString())
  } catch {
    return undefined
  }
}
