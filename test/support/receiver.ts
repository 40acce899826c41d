/** A server of a person's, which gets hooks and notifications. */
import { once } from "node:events"
import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"
import { waitFor } from "./wait-for.ts"

type Got = { readonly headers: IncomingHttpHeaders; readonly body: string; readonly atMs: number }

/** A server that notes every request, and answers as the test says. */
export class Receiver implements AsyncDisposable {
  readonly got: Got[] = []
  /** The next answers; then 200. `hang`: none. */
  readonly answers: { status: number | "hang"; headers?: Record<string, string> }[] = []
  readonly #server = createServer(async (request, response) => {
    let body = ""
    for await (const chunk of request) body += chunk
    this.got.push({ headers: request.headers, body, atMs: Date.now() })
    const { status, headers } = this.answers.shift() ?? { status: 200 }
    if (status !== "hang") response.writeHead(status, headers).end("an answer")
  })

  static async start(): Promise<Receiver> {
    const receiver = new Receiver()
    receiver.#server.listen(0, "127.0.0.1")
    await once(receiver.#server, "listening")
    return receiver
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/secret-path`
  }

  async until(count: number): Promise<readonly Got[]> {
    return await waitFor(
      `${count} requests`,
      async () => this.got.length >= count && this.got,
      60_000,
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
  }
}
