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
import { type Duplex, pipeline } from "node:stream"
import { type HostRule, type Place, parsePlace } from "../core/containment/hosts.ts"
import { findWay, type OpenWay, type Resolve, type Way } from "./host-way.ts"
import { joinSockets } from "./join-sockets.ts"
import { http } from "./node-http.ts"

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

/** They are about one connection, and not about the request. */
const OF_CONNECTION =
  /^(connection|keep-alive|proxy-.+|te|trailer|transfer-encoding|upgrade|expect|host)$/

export async function serveHosts(options: ProxyOptions): Promise<AsyncDisposable> {
  const sockets = new Set<Socket>()
  const server = http.createServer({ requestTimeout: 0 })
  server.maxConnections = CONNECTIONS_MAX
  server.on("connection", (socket) => {
    sockets.add(socket)
    socket.on("close", () => sockets.delete(socket))
    socket.on("error", () => {}) // also once it is a tunnel
  })
  server.on("connect", (asked, client, head) => {
    tunnel(options, asked.url ?? "", { client, head }).catch(() => client.destroy())
  })
  server.on("request", (asked, answer) => {
    forward(options, asked, answer).catch(() => answer.destroy())
  })
  server.listen(options.path)
  await once(server, "listening")
  return {
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, "close")
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

type Client = { readonly client: Duplex; readonly head: Buffer }

async function tunnel(options: ProxyOptions, url: string, { client, head }: Client): Promise<void> {
  const place = parsePlace(url)
  if (!place) return void client.end(plainAnswer(400, `no host: ${url}`))
  const way = await wayTo(options, place)
  if (way.kind === "refused") return void client.end(plainAnswer(403, way.refused))
  if (client.destroyed) return
  const host = connect({ ...targetOf(way), allowHalfOpen: true, keepAlive: true })
  host.setKeepAlive(true, KEEP_ALIVE_MS)
  limitWait(host)
  client.on("close", () => host.connecting && host.destroy())
  try {
    await once(host, "connect")
  } catch (error) {
    return void client.end(plainAnswer(502, String(error)))
  }
  client.write("HTTP/1.1 200 Connection established\r\n\r\n")
  host.write(head)
  joinSockets(client, host)
}

async function forward(
  options: ProxyOptions,
  asked: IncomingMessage,
  answer: ServerResponse,
): Promise<void> {
  const url = URL.parse(asked.url ?? "")
  const place = url?.protocol === "http:" && parsePlace(`${url.hostname}:${url.port || 80}`)
  if (!url || !place) return reply(answer, 400, "This is a proxy.")
  const way = await wayTo(options, place)
  if (way.kind === "refused") return reply(answer, 403, way.refused)
  const { method } = asked
  const headers = { ...passed(asked.headers), host: url.host }
  const path = `${url.pathname}${url.search}`
  const host = http.request({ ...targetOf(way), method, path, headers, agent: false })
  host.on("socket", limitWait)
  answer.on("close", () => host.destroy())
  host.on("error", (error) => {
    if (answer.headersSent) answer.destroy()
    else reply(answer, 502, error.message)
  })
  host.on("response", (response) => {
    answer.writeHead(response.statusCode ?? 502, passed(response.headers))
    pipeline(response, answer, () => {})
  })
  pipeline(asked, host, () => {})
}

async function wayTo({ rules, resolve, onRefused }: ProxyOptions, place: Place): Promise<Way> {
  const way = await findWay(rules, place, resolve)
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

const passed = (headers: IncomingHttpHeaders): IncomingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_CONNECTION.test(name)))

function reply(answer: ServerResponse, status: 400 | 403 | 502, text: string): void {
  answer.writeHead(status, { "content-type": "text/plain", connection: "close" }).end(`${text}\n`)
}

const plainAnswer = (status: 400 | 403 | 502, text: string): string =>
  `HTTP/1.1 ${status} ${STATUS[status]}\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n${text}\n`
const STATUS = { 400: "Bad Request", 403: "Forbidden", 502: "Bad Gateway" }
