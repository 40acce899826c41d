/** Replies of the model, in the shapes of the Messages API: one JSON document or a stream of events. */
import type { ServerResponse } from "node:http"

export type Reply = {
  readonly text?: string
  readonly tools?: readonly ToolCall[]
  /** Default: 100 tokens in, 20 out. */
  readonly usage?: { readonly input_tokens?: number; readonly output_tokens?: number }
  /** Cuts the connection after the text, before the message is complete. */
  readonly dropped?: boolean
}

export type ToolCall = { readonly name: string; readonly input: Readonly<Record<string, unknown>> }

/** A call of the shell tool. */
export const bash = (command: string): ToolCall => ({
  name: "Bash",
  input: { command, description: "Run a command" },
})

const PIECE_CHARS = 60
let replies = 0

/** Answers a request; `body.stream` decides on the shape. */
export async function writeReply(
  response: ServerResponse,
  body: Readonly<Record<string, unknown>>,
  reply: Reply,
): Promise<void> {
  const n = ++replies
  const usage = { input_tokens: 100, output_tokens: 20, ...reply.usage }
  const message = {
    id: `msg_${n}`,
    type: "message",
    role: "assistant",
    model: body["model"],
    content: contentOf(reply, n),
    stop_reason: reply.tools?.length ? "tool_use" : "end_turn",
    stop_sequence: null,
    usage: { ...usage, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
  }
  if (body["stream"]) stream(response, message, reply.dropped ?? false)
  else response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(message))
}

type TextBlock = { readonly type: "text"; readonly text: string }
type ToolBlock = ToolCall & { readonly type: "tool_use"; readonly id: string }

function contentOf({ text, tools = [] }: Reply, n: number): readonly (TextBlock | ToolBlock)[] {
  const texts = text ? [{ type: "text", text } as const] : []
  return [
    ...texts,
    ...tools.map((tool, i) => ({ ...tool, type: "tool_use", id: `toolu_${n}_${i}` }) as const),
  ]
}

type Message = {
  readonly content: ReturnType<typeof contentOf>
  readonly stop_reason: string
  readonly usage: { readonly output_tokens: number }
}

function stream(response: ServerResponse, message: Message, dropped: boolean): void {
  const send = (type: string, event: object) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...event })}\n\n`)
  const { content, stop_reason, usage } = message
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" })
  const begun = {
    ...message,
    content: [],
    stop_reason: null,
    usage: { ...usage, output_tokens: 1 },
  }
  send("message_start", { message: begun })
  for (const [index, block] of content.entries()) {
    const [empty, delta, text] = parts(block)
    send("content_block_start", { index, content_block: empty })
    for (const piece of text.match(new RegExp(`[^]{1,${PIECE_CHARS}}`, "g")) ?? [])
      send("content_block_delta", { index, delta: delta(piece) })
    send("content_block_stop", { index })
  }
  if (dropped) {
    response.destroy()
    return
  }
  send("message_delta", {
    delta: { stop_reason, stop_sequence: null },
    usage: { output_tokens: usage.output_tokens },
  })
  send("message_stop", {})
  response.end()
}

/** A block before its content, the shape of a piece of it, and the content as text. */
function parts(block: TextBlock | ToolBlock): [object, (piece: string) => object, string] {
  if (block.type === "text")
    return [{ ...block, text: "" }, (text) => ({ type: "text_delta", text }), block.text]
  const delta = (partial_json: string) => ({ type: "input_json_delta", partial_json })
  return [{ ...block, input: {} }, delta, JSON.stringify(block.input)]
}
