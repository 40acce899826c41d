/**
 * Limits what connections cost the daemon.
 *
 * Every local user can connect to loopback. A connection counts as a stranger until one of its
 * requests carries a token. A new stranger replaces the oldest one, so other users' idle connections
 * block no client and use few descriptors.
 */
import type { Server } from "node:http"
import type { Socket } from "node:net"

/** Our clients send their token in the first request, so few of them are strangers at any time. */
const STRANGERS_MAX = 64
/**
 * An agent asks one thing at a time, and a few for its tools. Its oldest connection gives way, or one
 * agent could keep people from cancelling its task.
 */
const AGENT_CONNECTIONS_MAX = 16
/** Includes strangers. The remaining descriptors are left to git, agents and the database. */
const CONNECTIONS_MAX = 512

export class Connections {
  /** In order of arrival. */
  readonly #strangers = new Set<Socket>()
  /** By the agent's token. */
  readonly #agents = new Map<string, Set<Socket>>()

  /**
   * Watches the connections of `server`.
   *
   * @param arrival the event of a connection that is ready.
   */
  watch(server: Server, arrival = "connection"): void {
    server.maxConnections = CONNECTIONS_MAX
    server.on(arrival, (socket: Socket) => {
      this.#strangers.add(socket)
      socket.once("close", () => this.#strangers.delete(socket))
      const [oldest] = this.#strangers
      if (this.#strangers.size > STRANGERS_MAX) oldest?.destroy()
    })
  }

  /**
   * Called when a request on `socket` has carried a token.
   *
   * @param agent the token, if it is an agent's.
   */
  trust(socket: Socket, agent: string | undefined): void {
    this.#strangers.delete(socket)
    if (agent === undefined) return
    const own = this.#agents.get(agent) ?? new Set()
    if (own.has(socket)) return
    this.#agents.set(agent, own.add(socket))
    socket.once("close", () => {
      own.delete(socket)
      if (own.size === 0) this.#agents.delete(agent)
    })
    const [oldest] = own
    if (own.size > AGENT_CONNECTIONS_MAX) oldest?.destroy()
  }
}
