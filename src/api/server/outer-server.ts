/**
 * Serves the dashboard on an address beyond loopback, for a person's other devices.
 *
 * It hands its requests to the daemon's own server. That answers only pages with a session there: the
 * tokens of commands, agents and scrapers are for this machine alone.
 */
import type { Server } from "node:http"
import { isIPv6, type Socket } from "node:net"
import type { FastifyInstance } from "fastify"
import { DaemonError } from "../../kernel/errors.ts"
import { http, https } from "../../kernel/process/node-http.ts"
import type { OuterAddress } from "../wire/daemon-options.ts"
import type { Place } from "./browser-access.ts"
import { Connections } from "./connections.ts"

/** A device on a slow network is slower than loopback. */
const HEAD_MS_MAX = 20_000
const REQUEST_MS_MAX = 60_000
/** A few devices with a few pages each. */
const CONNECTIONS_MAX = 128

export class Outer {
  readonly #server: Server
  /** Sent when a connection is ready, with its socket. */
  readonly #arrival: "secureConnection" | "connection"
  readonly #address: OuterAddress
  readonly #sockets = new WeakSet<Socket>()
  #place: Place | undefined

  /** @throws {DaemonError} `daemon.address` (user) for a certificate that Node refuses. */
  constructor(address: OuterAddress) {
    this.#address = address
    const limits = {
      headersTimeout: HEAD_MS_MAX,
      requestTimeout: REQUEST_MS_MAX,
      handshakeTimeout: HEAD_MS_MAX,
    }
    const { tls } = address
    this.#arrival = tls ? "secureConnection" : "connection"
    try {
      this.#server = tls ? https.createServer({ ...tls, ...limits }) : http.createServer(limits)
    } catch (error) {
      throw new DaemonError("daemon.address", `The certificate or key is refused: ${error}`, [
        "--tls-cert and --tls-key take files in PEM format that belong together.",
      ])
    }
    this.#server.on(this.#arrival, (socket: Socket) => this.#sockets.add(socket))
  }

  /** Hands everything that arrives to the daemon's own server, and ends with it. */
  join(inner: FastifyInstance): void {
    // Connections here are counted apart: other devices keep no command of this machine out.
    new Connections().watch(this.#server, this.#arrival)
    this.#server.maxConnections = CONNECTIONS_MAX
    inner.addHook("preClose", async () => this.#close())
    for (const event of ["request", "upgrade", "clientError"] as const)
      this.#server.on(event, (...all: readonly unknown[]) => inner.server.emit(event, ...all))
  }

  /** @throws {DaemonError} `daemon.address` (user) if the system refuses the address. */
  async listen(): Promise<void> {
    const { host, port } = this.#address
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject).listen({ host, port }, resolve)
    }).catch((error: Error) => {
      throw new DaemonError("daemon.address", `Cannot serve at ${host}:${port}: ${error.message}`, [
        "Name an address of this machine with --host, and a free port with --port.",
      ])
    })
    this.#place = this.#placeNow()
  }

  #close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }

  /** Whether a request came from beyond loopback. */
  has(socket: Socket): boolean {
    return this.#sockets.has(socket)
  }

  /** The address's own name for browsers; behind a proxy, `dashboard.url` is the only one. */
  get place(): Place | undefined {
    return this.#place
  }

  #placeNow(): Place | undefined {
    const at = this.#server.address()
    if (!this.#address.tls || at === null || typeof at === "string") return undefined
    const { host } = this.#address
    const { origin, host: name } = new URL(
      `https://${isIPv6(host) ? `[${host}]` : host}:${at.port}`,
    )
    return { host: name, origin }
  }
}
