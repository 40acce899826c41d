/**
 * Passes WebSockets on to the daemon of another home, byte by byte: a slow page slows that daemon down,
 * and nothing piles up here.
 *
 * The page gets the few headers of an upgrade alone. Its session is checked with each message of the page,
 * and every ten seconds.
 */
import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"
import { pipeline } from "node:stream/promises"
import type { FastifyRequest } from "fastify"
import { SOCKET_PROTOCOL } from "../../api/wire/session.ts"
import { http } from "../../kernel/process/node-http.ts"

const CHECK_MS = 10_000
/** The other daemon opens a connection at once, unless it hangs. The page then asks what is wrong. */
const OPEN_MS_MAX = 10_000
/** Two pipelines, the server and the tunnel listen to one socket: more than Node holds for a leak. */
const LISTENERS_MAX = 32
const UPGRADE_HEADERS = ["upgrade", "connection", "sec-websocket-accept", "sec-websocket-protocol"]

type Tunnel = {
  /** `http://127.0.0.1:<port>` */
  readonly address: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  isAllowed(): boolean
  /** The reason why nothing more will come; undefined: there is none. */
  findBlocker(): string | undefined
}

export class Tunnels {
  readonly #pages = new Set<Duplex>()
  readonly #openMsMax: number

  constructor(openMsMax = OPEN_MS_MAX) {
    this.#openMsMax = openMsMax
  }

  /** @param request of a page, before its upgrade. */
  open({ raw, headers }: FastifyRequest, tunnel: Tunnel): void {
    const page = raw.socket
    this.#pages.add(page)
    page.setMaxListeners(LISTENERS_MAX)
    const asked = http.request(`${tunnel.address}${tunnel.path}`, {
      agent: false,
      headers: {
        ...tunnel.headers,
        Connection: "Upgrade",
        Upgrade: "websocket",
        "Sec-WebSocket-Key": headers["sec-websocket-key"] ?? "",
        "Sec-WebSocket-Version": headers["sec-websocket-version"] ?? "",
        ...(headers["sec-websocket-protocol"] && { "Sec-WebSocket-Protocol": SOCKET_PROTOCOL }),
      },
    })
    const late = setTimeout(() => refuse(page, asked), this.#openMsMax)
    page.once("close", () => {
      clearTimeout(late)
      this.#pages.delete(page)
      asked.destroy()
    })
    asked.on("error", () => page.destroy()) // the page comes back
    asked.on("response", (answer) => refuse(page, answer))
    asked.on("upgrade", (answer, other, head) => {
      clearTimeout(late)
      page.write(headOf(answer))
      page.write(head)
      join(page, other, tunnel)
    })
    asked.end()
  }

  end(): void {
    for (const page of this.#pages) page.destroy()
  }
}

const headOf = ({ headers }: IncomingMessage): string =>
  [
    "HTTP/1.1 101 Switching Protocols",
    ...UPGRADE_HEADERS.flatMap((name) => (headers[name] ? `${name}: ${headers[name]}` : [])),
    "\r\n",
  ].join("\r\n")

/** A WebSocket cannot say why. The page asks the same path without an upgrade. */
function refuse(page: Duplex, asked: { destroy(): unknown }): void {
  page.end("HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
  asked.destroy()
}

/** Either end closes both. */
function join(page: Duplex, other: Duplex, { isAllowed, findBlocker }: Tunnel): void {
  const end = () => {
    page.destroy()
    other.destroy()
  }
  const check = () => {
    if (!isAllowed()) throw new Error("the session has ended")
  }
  const timer = setInterval(() => {
    try {
      check()
      if (findBlocker() !== undefined) end()
    } catch {
      end()
    }
  }, CHECK_MS)
  page.once("close", () => clearInterval(timer))
  const fromPage = async function* (messages: AsyncIterable<Buffer>) {
    for await (const bytes of messages) {
      check()
      yield bytes
    }
  }
  void pipeline(page, fromPage, other).then(end, end)
  void pipeline(other, page).then(end, end)
}
