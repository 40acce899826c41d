/** A double of OpenAI's Responses API, on loopback: a script says what the model says. */
import { once } from "node:events"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

/** A request of an agent program to the model. */
export type ResponsesAsk = {
  /** The last text of the user. */
  readonly text: string
  /** The outputs of tools since then. */
  readonly outputs: readonly string[]
  /** The whole request as one JSON text, to search in. */
  readonly whole: string
}

/** The model says the text, runs the shell code, or uses another tool. */
export type ResponsesScript = (ask: ResponsesAsk) => Said | Promise<Said>

type Said =
  | { readonly text: string }
  | { readonly run: string }
  | { readonly tool: string; readonly namespace?: string; readonly given: object }

type Item = {
  readonly type?: string
  readonly role?: string
  readonly content?: unknown
  readonly output?: unknown
}
type Body = {
  readonly model?: string
  readonly input?: readonly Item[]
  readonly tools?: readonly Tool[]
}
type Tool = { readonly type: string; readonly name?: string }

export class ResponsesApi implements AsyncDisposable {
  readonly asks: ResponsesAsk[] = []
  /** Set it to make requests fail with this status. */
  failure: number | undefined
  readonly #script: ResponsesScript
  readonly #server: Server

  private constructor(script: ResponsesScript) {
    this.#script = script
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch((error: Error) => response.destroy(error))
    })
  }

  static async start(script: ResponsesScript): Promise<ResponsesApi> {
    const api = new ResponsesApi(script)
    api.#server.listen(0, "127.0.0.1")
    await once(api.#server, "listening")
    return api
  }

  /** The text of a config.toml of Codex that uses it. */
  get codexConfig(): string {
    const { port } = this.#server.address() as AddressInfo
    return `model = "fake-model"
model_provider = "fake"
[model_providers.fake]
name = "fake"
base_url = "http://127.0.0.1:${port}/v1"
env_key = "OPENAI_API_KEY"
wire_api = "responses"
requires_openai_auth = false
supports_websockets = false
request_max_retries = 1
stream_max_retries = 1
[analytics]
enabled = false
[features]
plugins = false
`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, "close")
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    if (!request.url?.includes("/responses")) return void response.writeHead(404).end("{}")
    if (this.failure !== undefined) {
      const body = JSON.stringify({ error: { message: "refused on purpose" } })
      return void response.writeHead(this.failure, { "content-type": "application/json" }).end(body)
    }
    const body = JSON.parse(Buffer.concat(chunks).toString("utf8")) as Body
    const ask = readAsk(body)
    this.asks.push(ask)
    write(response, body, itemOf(await this.#script(ask), body.tools ?? [], this.asks.length))
  }
}

function readAsk(body: Body): ResponsesAsk {
  const input = body.input ?? []
  const at = input.findLastIndex(({ role }) => role === "user")
  const content = input[at]?.content
  const texts = Array.isArray(content)
    ? content.map(({ text }: { text?: string }) => text ?? "")
    : [String(content)]
  const outputs = input.slice(at + 1).filter(({ type }) => type?.endsWith("_output"))
  return {
    text: texts.join("\n"),
    outputs: outputs.map(({ output }) => JSON.stringify(output)),
    whole: JSON.stringify(body),
  }
}

/** Each version of the program offers its shell under another name. */
function itemOf(reply: Said, tools: readonly Tool[], n: number): object {
  if ("text" in reply) {
    const content = [{ type: "output_text", text: reply.text, annotations: [] }]
    return { type: "message", id: `msg_${n}`, role: "assistant", status: "completed", content }
  }
  const call = { call_id: `call_${n}`, status: "completed" }
  if ("tool" in reply) {
    const { tool: name, given, ...rest } = reply
    const called = { name, arguments: JSON.stringify(given), ...rest }
    return { type: "function_call", id: `fc_${n}`, ...call, ...called }
  }
  if (tools.some(({ type, name }) => type === "custom" && name === "exec")) {
    const input = `const r = await tools.exec_command({cmd: ${JSON.stringify(reply.run)}, yield_time_ms: 30000}); text(JSON.stringify(r));`
    return { type: "custom_tool_call", id: `ctc_${n}`, ...call, name: "exec", input }
  }
  const names = ["exec_command", "shell_command", "shell"]
  const name = names.find((one) => tools.some((tool) => tool.name === one)) ?? "exec_command"
  const given = {
    exec_command: { cmd: reply.run, yield_time_ms: 30_000 },
    shell_command: { command: reply.run },
    shell: { command: ["bash", "-lc", reply.run] },
  }[name]
  return { type: "function_call", id: `fc_${n}`, ...call, name, arguments: JSON.stringify(given) }
}

function write(response: ServerResponse, { model }: Body, item: object): void {
  response.writeHead(200, { "content-type": "text/event-stream" })
  let n = 0
  const event = (type: string, fields: object) =>
    response.write(
      `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: n++, ...fields })}\n\n`,
    )
  const head = { id: `resp_${Date.now()}`, object: "response", model, output: [], usage: null }
  event("response.created", { response: { ...head, status: "in_progress" } })
  event("response.output_item.added", { output_index: 0, item })
  for (const delta of textsIn(item))
    event("response.output_text.delta", { output_index: 0, content_index: 0, delta })
  event("response.output_item.done", { output_index: 0, item })
  const details = {
    input_tokens_details: { cached_tokens: 10 },
    output_tokens_details: { reasoning_tokens: 0 },
  }
  const usage = { input_tokens: 100, output_tokens: 20, total_tokens: 120, ...details }
  event("response.completed", { response: { ...head, status: "completed", output: [item], usage } })
  response.end()
}

/** The text of a message in two pieces. */
function textsIn(item: object): string[] {
  const { content = [] } = item as { content?: readonly { readonly text?: string }[] }
  return content.flatMap(({ text = "" }) => [text.slice(0, 2), text.slice(2)]).filter(Boolean)
}
