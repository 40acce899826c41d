/**
 * Limits what connections cost the daemon.
 *
 * Every local user can connect to loopback. A connection is a stranger's until one of its requests
 * carried a token; the oldest stranger gives way to a new one. So idle connections of others block
 * no client, and use few descriptors.
 */
import type { Server } from "node:http"
import type { Socket } from "node:net"

/** Our clients send their token with the first bytes, so few connections wait for it. */
const STRANGERS_MAX = 64
/** All connections; the remaining descriptors serve git, agents and the database. */
const CONNECTIONS_MAX = 512

export class Connections {
  /** In order of arrival. */
  readonly #strangers = new Set<Socket>()

  /** Watches the connections of `server`. */
  watch(server: Server): void {
    server.maxConnections = CONNECTIONS_MAX
    server.on("connection", (socket: Socket) => {
      this.#strangers.add(socket)
      socket.once("close", () => this.#strangers.delete(socket))
      const [oldest] = this.#strangers
      if (this.#strangers.size > STRANGERS_MAX) oldest?.destroy()
    })
  }

  /** Called when a request on `socket` has carried a token. */
  trust(socket: Socket): void {
    this.#strangers.delete(socket)
  }
}
