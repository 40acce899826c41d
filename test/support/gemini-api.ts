/** A double of the Gemini API, on loopback: a script says what the model says. */
import { once } from "node:events"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

/** A request of an agent program to the model. */
export type GeminiAsk = {
  /** The last prompt of the user. */
  readonly text: string
  /** How many results of tools there are since then. */
  readonly results: number
  /** The whole request as one JSON text, to search in. */
  readonly whole: string
}

/** The model says the text, or runs the shell code. */
export type GeminiScript = (ask: GeminiAsk) => { readonly text: string } | { readonly run: string }

type Part = { readonly text?: string; readonly functionResponse?: unknown }
type Body = {
  readonly contents?: readonly { readonly role?: string; readonly parts?: readonly Part[] }[]
  readonly tools?: readonly unknown[]
}

const CHORE = { reasoning: "x", next_speaker: "user", model_choice: "pro" }

export class GeminiApi implements AsyncDisposable {
  readonly asks: GeminiAsk[] = []
  /** Set it to make requests fail with this status. */
  failure: number | undefined
  readonly #script: GeminiScript
  readonly #server: Server

  private constructor(script: GeminiScript) {
    this.#script = script
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch((error: Error) => response.destroy(error))
    })
  }

  static async start(script: GeminiScript): Promise<GeminiApi> {
    const api = new GeminiApi(script)
    api.#server.listen(0, "127.0.0.1")
    await once(api.#server, "listening")
    return api
  }

  /** The variables of a Gemini CLI that uses it. */
  get env(): Record<string, string> {
    const { port } = this.#server.address() as AddressInfo
    return { GEMINI_API_KEY: "none", GOOGLE_GEMINI_BASE_URL: `http://127.0.0.1:${port}` }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, "close")
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url } = request
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    response.setHeader("content-type", "application/json")
    if (url?.includes("countTokens")) return void response.end('{"totalTokens":100}')
    if (this.failure !== undefined) {
      const error = { code: this.failure, message: "refused on purpose", status: "REFUSED" }
      return void response.writeHead(this.failure).end(JSON.stringify({ error }))
    }
    const reply = JSON.stringify(this.#reply(JSON.parse(Buffer.concat(chunks).toString("utf8"))))
    if (!url?.includes("stream")) return void response.end(reply)
    response.setHeader("content-type", "text/event-stream")
    response.end(`data: ${reply}\n\n`)
  }

  /** Requests without tools are chores of the agent program, such as choosing a model. */
  #reply(body: Body): object {
    if (!body.tools) return answerOf({ text: JSON.stringify(CHORE) })
    const ask = readAsk(body)
    this.asks.push(ask)
    const reply = this.#script(ask)
    if ("text" in reply) return answerOf(reply)
    const args = { command: reply.run, description: "run" }
    return answerOf({ functionCall: { name: "run_shell_command", args } })
  }
}

function readAsk(body: Body): GeminiAsk {
  const contents = body.contents ?? []
  const isPrompt = ({ parts = [] }: { readonly parts?: readonly Part[] }) =>
    parts.some(({ text }) => text !== undefined)
  const at = contents.findLastIndex((one) => one.role === "user" && isPrompt(one))
  const text = (contents[at]?.parts ?? []).map((part) => part.text ?? "").join("\n")
  const later = contents.slice(at + 1).flatMap(({ parts = [] }) => parts)
  const results = later.filter(({ functionResponse }) => functionResponse).length
  return { text, results, whole: JSON.stringify(body) }
}

const answerOf = (part: object) => ({
  candidates: [{ content: { role: "model", parts: [part] }, finishReason: "STOP", index: 0 }],
  usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 20, totalTokenCount: 120 },
  modelVersion: "fake",
})
