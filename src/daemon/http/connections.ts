/**
 * Bounds what connections may cost the daemon, whoever opens them.
 *
 * Every local user can connect to loopback. A connection is a stranger's until a request on it has
 * carried a token; the oldest stranger gives way to a new one. So idle connections of others keep
 * nobody out, and use few descriptors.
 */
import type { Server } from "node:http"
import type { Socket } from "node:net"

/** A client of ours sends its token with its first bytes, so few connections wait for it. */
const STRANGERS_MAX = 64
/** All connections: the descriptors that are left serve gits, agents and the database. */
const CONNECTIONS_MAX = 512

export class Connections {
  /** In the order in which they came. */
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

  /** A request on `socket` has carried a token. */
  trust(socket: Socket): void {
    this.#strangers.delete(socket)
  }
}
