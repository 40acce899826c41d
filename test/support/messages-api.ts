/**
 * A double of the Messages API, on loopback, for tests and for the demo.
 *
 * Agent programs talk to it as to the real thing. The words of "the model" come from a script: a
 * function of the conversation so far, so that it needs no memory and serves any number of agents
 * at once. Failures are switched on and off while it runs, as they come and go in the world.
 */
import { once } from "node:events"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { type Ask, readAsk } from "./messages-api-ask.ts"
import { type Reply, writeReply } from "./messages-api-reply.ts"

/** The next reply of the model; undefined is a plain "ok". It may wait before it answers. */
export type Script = (ask: Ask) => Reply | undefined | Promise<Reply | undefined>

/** The fault, and for how many requests (default: for ever). */
export type Failure = {
  readonly kind: keyof typeof REFUSALS | "dropped"
  readonly times?: number
}

const REFUSALS = {
  overloaded: [529, "overloaded_error", "Overloaded"],
  rate_limited: [429, "rate_limit_error", "Too many requests"],
  used_up: [429, "rate_limit_error", "This request would exceed your account's rate limit"],
  unauthorized: [401, "authentication_error", "invalid x-api-key"],
} as const

export class MessagesApi implements AsyncDisposable {
  /** Every request to the model that was answered by the script, oldest first. */
  readonly asks: Ask[] = []
  /** How many requests to the model have failed on purpose. */
  refused = 0
  /** Set it to make requests fail; undefined lets them through again. */
  failure: Failure | undefined

  readonly #script: Script
  readonly #server: Server

  private constructor(script: Script) {
    this.#script = script
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch((error: unknown) => {
        response.destroy(error instanceof Error ? error : new Error(String(error)))
      })
    })
  }

  /** Listens on a free port of loopback, or on the one given. */
  static async start(script: Script, port = 0): Promise<MessagesApi> {
    const api = new MessagesApi(script)
    api.#server.listen(port, "127.0.0.1")
    await once(api.#server, "listening")
    return api
  }

  /** The value for ANTHROPIC_BASE_URL. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** The variables with which an agent program reaches this double and nothing else. */
  get env(): Record<string, string> {
    return { ANTHROPIC_BASE_URL: this.url, ANTHROPIC_API_KEY: "dummy" }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close()
    this.#server.closeAllConnections()
    await once(this.#server, "close")
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request)
    const path = request.url?.split("?")[0]
    if (request.method === "HEAD") response.end()
    else if (path === "/v1/messages/count_tokens") sendJson(response, 200, { input_tokens: 100 })
    else if (path === "/v1/messages") await this.#answer(body, response)
    else sendJson(response, 404, refusal("not_found_error", "no such path"))
  }

  async #answer(body: Record<string, unknown>, response: ServerResponse): Promise<void> {
    const failure = this.#takeFailure()
    if (failure === "dropped") {
      response.socket?.destroy()
      return
    }
    if (failure) {
      const [status, type, message] = REFUSALS[failure]
      if (failure === "used_up") response.setHeaders(new Map(Object.entries(usedUp())))
      sendJson(response, status, refusal(type, message))
      return
    }
    const ask = readAsk(body)
    // Requests without tools are chores of the agent program, such as finding a title.
    if (ask.tools.length === 0) await writeReply(response, body, { text: '{"title":"A task"}' })
    else {
      this.asks.push(ask)
      await writeReply(response, body, (await this.#script(ask)) ?? { text: "ok" })
    }
  }

  #takeFailure(): Failure["kind"] | undefined {
    if (!this.failure) return undefined
    const { kind, times = Number.POSITIVE_INFINITY } = this.failure
    this.failure = times > 1 ? { kind, times: times - 1 } : undefined
    this.refused++
    return kind
  }
}

async function readBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString("utf8")
  return text ? JSON.parse(text) : {}
}

/** The 5-hour limit of a subscription, used up for an hour. */
function usedUp(): Record<string, string> {
  const reset = String(Math.ceil(Date.now() / 1000) + 3600)
  return {
    "anthropic-ratelimit-unified-status": "rejected",
    "anthropic-ratelimit-unified-reset": reset,
    "anthropic-ratelimit-unified-representative-claim": "five_hour",
    "anthropic-ratelimit-unified-5h-status": "rejected",
    "anthropic-ratelimit-unified-5h-reset": reset,
    "anthropic-ratelimit-unified-5h-utilization": "1",
  }
}

function refusal(type: string, message: string) {
  return { type: "error", error: { type, message } }
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
}
