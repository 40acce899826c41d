/**
 * Takes a contained program's requests to the hosts that it may reach, and refuses all others.
 *
 *   program ──► relay in its fence ──socket in a file──► this proxy ──► host
 *
 * The program has no network, so it reaches nothing without us. We resolve each name once, and connect
 * to the addresses that we have judged. A name that leads to this machine or to a private network is
 * refused, unless the list has that address too. It ends, with all connections, when the program ends.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#name-connect
 */
import { once } from "node:events"
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http"
import { connect, type Socket, type TcpNetConnectOpts } from "node:net"
import { pipeline } from "node:stream"
import { http } from "../../kernel/process/node-http.ts"
import {
  findWay,
  type OpenWay,
  oneByOne,
  type Resolve,
  resolveBySystem,
  type Way,
} from "./host-way.ts"
import { joinSockets } from "./join-sockets.ts"
import { type HostRule, type Place, parsePlace } from "./rules/hosts.ts"

export type ProxyOptions = {
  /** The path of its socket. */
  readonly path: string
  readonly rules: readonly HostRule[]
  /** Called for each refusal, often for the same host. */
  onRefused(host: string, why: string): void
  /** Default: as the system resolves names. */
  readonly resolve?: Resolve
}

/** An install of packages takes some 50. Others are closed at once. */
const CONNECTIONS_MAX = 256
const CONNECT_MS_MAX = 30_000
const KEEP_ALIVE_MS = 60_000

/** Headers about one connection, and not about the request. `Connection` names further ones. */
const OF_CONNECTION =
  /^(connection|keep-alive|proxy-.+|te|trailer|transfer-encoding|upgrade|expect|host)$/
const OF_BODY = /^(content-length|transfer-encoding)$/

type Serving = ProxyOptions & { readonly resolve: Resolve }

export async function serveHosts(options: ProxyOptions): Promise<AsyncDisposable> {
  const serving = { ...options, resolve: oneByOne(options.resolve ?? resolveBySystem) }
  const sockets = new Set<Socket>()
  const asking = new WeakSet<Socket>()
  const server = http.createServer({ requestTimeout: 0 })
  server.maxConnections = CONNECTIONS_MAX
  server.maxRequestsPerSocket = 1 // or one connection could have any number of hosts
  server.on("connection", (socket) => {
    sockets.add(socket)
    socket.on("close", () => sockets.delete(socket))
    socket.on("error", () => {}) // also once it is a tunnel
  })
  // A failure of ours, such as a full disk, closes this connection alone: the program may ask again.
  server.on("connect", ({ url = "", socket }, _socket, head) => {
    if (asking.has(socket)) return void socket.destroy()
    tunnel(serving, url, { client: socket, head }).catch(() => socket.destroy())
  })
  server.on("request", (asked, answer) => {
    asking.add(asked.socket)
    forward(serving, asked, answer).catch(() => answer.destroy())
  })
  server.on("dropRequest", (_asked, socket) => socket.destroy())
  server.listen(options.path)
  await once(server, "listening")
  server.on("error", () => {}) // a connection could not be accepted
  return {
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, "close")
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

type Client = { readonly client: Socket; readonly head: Buffer }

async function tunnel(serving: Serving, url: string, { client, head }: Client): Promise<void> {
  const drop = () => client.destroy()
  client.on("end", drop)
  // The proxy reads on, or the client's end would not be seen.
  const refuse = (status: Refusal, text: string) =>
    void client.off("end", drop).resume().end(plainAnswer(status, text))
  const place = parsePlace(url)
  if (!place) return refuse(400, `no host: ${url}`)
  const way = await wayTo(serving, place, client)
  if (client.destroyed) return
  if (way.kind === "refused") return refuse(403, way.refused)
  const host = connect({ ...targetOf(way), allowHalfOpen: true, keepAlive: true })
  host.setKeepAlive(true, KEEP_ALIVE_MS)
  limitWait(host)
  client.on("close", () => host.connecting && host.destroy())
  try {
    await once(host, "connect")
  } catch (error) {
    return refuse(502, String(error))
  }
  client.off("end", drop)
  client.write("HTTP/1.1 200 Connection established\r\n\r\n")
  host.write(head)
  joinSockets(client, host)
}

async function forward(
  serving: Serving,
  asked: IncomingMessage,
  answer: ServerResponse,
): Promise<void> {
  const url = URL.parse(asked.url ?? "")
  const place = url?.protocol === "http:" && parsePlace(`${url.hostname}:${url.port || 80}`)
  if (!url || !place) return reply(answer, 400, "This is a proxy.")
  const way = await wayTo(serving, place, asked.socket)
  if (asked.socket.destroyed) return
  if (way.kind === "refused") return reply(answer, 403, way.refused)
  const { method } = asked
  const headers = { ...passed(asked.headers), ...framing(asked.headers), host: url.host }
  const path = `${url.pathname}${url.search}`
  const host = http.request({ ...targetOf(way), method, path, headers, agent: false })
  const fail = (error: Error) => {
    host.destroy()
    if (answer.headersSent) answer.destroy()
    else reply(answer, 502, error.message)
  }
  host.on("socket", limitWait)
  answer.on("close", () => host.destroy())
  host.on("error", fail)
  host.on("response", (response) => {
    try {
      passOn(response, answer)
    } catch (error) {
      fail(error as Error)
    }
  })
  host.on("upgrade", (_response, socket) => {
    socket.destroy()
    fail(new Error("the host answers with status 101"))
  })
  pipeline(asked, host, () => {})
}

/** @throws if no server may answer so. */
function passOn(response: IncomingMessage, answer: ServerResponse): void {
  const { statusCode: status = 0, headers } = response
  if (status < 200) throw new Error(`the host answers with status ${status}`)
  answer.writeHead(status, { ...passed(headers), connection: "close" })
  pipeline(response, answer, () => {})
}

async function wayTo(serving: Serving, place: Place, client: Socket): Promise<Way> {
  const { rules, resolve, onRefused } = serving
  const gone = new AbortController()
  client.once("close", () => gone.abort())
  const way = await findWay(rules, place, (host) => resolve(host, gone.signal))
  if (way.kind === "refused" && way.isByRule) onRefused(way.host, way.refused)
  return way
}

/** Connects to the addresses of the way alone, whatever its name means by now. */
function targetOf({ host, port, addresses }: OpenWay) {
  const [first] = addresses
  return {
    host,
    port,
    lookup: (_host, { all }, done) =>
      all ? done(null, [...addresses]) : done(null, first.address, first.family),
  } satisfies TcpNetConnectOpts
}

function limitWait(socket: Socket): void {
  const timer = setTimeout(
    () => socket.destroy(new Error("the host does not answer")),
    CONNECT_MS_MAX,
  )
  for (const event of ["connect", "close"]) socket.once(event, () => clearTimeout(timer))
}

function passed(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const named = (headers.connection ?? "").toLowerCase().split(/[\s,]+/)
  const isOfConnection = (name: string) => OF_CONNECTION.test(name) || named.includes(name)
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !isOfConnection(name)))
}

/** Where a body ends. Without it, the host would read the body as further requests. */
const framing = (headers: IncomingHttpHeaders): IncomingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => OF_BODY.test(name)))

type Refusal = keyof typeof STATUS

function reply(answer: ServerResponse, status: Refusal, text: string): void {
  answer.writeHead(status, { "content-type": "text/plain", connection: "close" }).end(`${text}\n`)
}

const plainAnswer = (status: Refusal, text: string): string =>
  `HTTP/1.1 ${status} ${STATUS[status]}\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n${text}\n`
const STATUS = { 400: "Bad Request", 403: "Forbidden", 502: "Bad Gateway" }
