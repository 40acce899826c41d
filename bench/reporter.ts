/**
 * An agent that reports, over one connection that it keeps.
 *
 * Without an HTTP client: two hundred of those take as much time as the daemon that is measured, on
 * the same processors.
 */
import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { AgentAccess } from "../src/api/agent-tokens.ts"
import type { JobId } from "../src/base/ids.ts"

const HUNG_UP = "progress: the daemon hung up"

type Answer = PromiseWithResolvers<void>

export class Reporter {
  readonly #socket: Socket
  readonly #head: string
  #received = ""
  #waiting: Answer | undefined

  private constructor(socket: Socket, head: string) {
    this.#socket = socket
    this.#head = head
    socket.setEncoding("latin1").on("data", (text: string) => this.#receive(text))
    socket.on("error", (error) => this.#waiting?.reject(error))
    socket.on("close", () => this.#waiting?.reject(new Error(HUNG_UP)))
  }

  static async connect(daemon: { address: string; token: string }, job: JobId): Promise<Reporter> {
    const { host, hostname, port } = new URL(daemon.address)
    const socket = connect({ host: hostname, port: Number(port), noDelay: true })
    await once(socket, "connect")
    const token = new AgentAccess(daemon.token).environment(job)["COPPICE_TOKEN"]!
    const lines = [
      "POST /agent/progress HTTP/1.1",
      `host: ${host}`,
      `authorization: Bearer ${token}`,
    ]
    const head = [...lines, "content-type: application/json", ""].join("\r\n")
    const reporter = new Reporter(socket, head)
    await reporter.say("begins") // shows the token: of new connections without one, the oldest give way
    return reporter
  }

  /** @param text ASCII. Settles when the daemon has answered. */
  async say(text: string): Promise<void> {
    if (this.#socket.destroyed) throw new Error(HUNG_UP) // no event tells of it any more
    const answer = Promise.withResolvers<void>()
    this.#waiting = answer
    const body = JSON.stringify({ text })
    this.#socket.write(`${this.#head}content-length: ${body.length}\r\n\r\n${body}`, "latin1")
    return await answer.promise
  }

  end(): void {
    this.#waiting = undefined
    this.#socket.destroy()
  }

  #receive(text: string): void {
    this.#received += text
    const end = this.#received.indexOf("\r\n\r\n")
    if (end < 0) return
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(this.#received)?.[1])
    if (this.#received.length < end + 4 + length) return
    const status = this.#received.slice(0, this.#received.indexOf("\r\n"))
    this.#received = ""
    if (status === "HTTP/1.1 200 OK") this.#waiting?.resolve()
    else this.#waiting?.reject(new Error(`progress: ${status}`))
  }
}
