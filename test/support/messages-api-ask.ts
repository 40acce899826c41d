/** A request of an agent program to the model, in a form that is easy to script. */

export type Ask = {
  /** How many times the model has spoken in this conversation: 0 at first. */
  readonly step: number
  /** The task's prompt: what the person said at the beginning of the conversation. */
  readonly prompt: string
  /** The last text since the model spoke: the prompt, or what the program adds at its end. */
  readonly text: string
  /** The results of the last tool calls, as texts. */
  readonly toolResults: readonly string[]
  /** Every text since the model spoke, reminders and all. */
  readonly texts: readonly string[]
  /** The system prompt. */
  readonly system: string
  /** The names of the tools on offer. */
  readonly tools: readonly string[]
  readonly model: string
  /** The whole conversation as one JSON text, to search in. */
  readonly conversation: string
}

type Block = { readonly type: string; readonly text?: string; readonly content?: Content }
type Content = string | readonly Block[]
type Message = { readonly role: string; readonly content: Content }
type Body = {
  readonly model?: string
  readonly system?: Content
  readonly messages?: readonly Message[]
  readonly tools?: readonly { readonly name: string }[]
}

/** Reads the body of a request to /v1/messages. */
export function readAsk(body: Body): Ask {
  const messages = body.messages ?? []
  const spoken = messages.findLastIndex(({ role }) => role === "assistant")
  const last = messages.slice(spoken + 1).filter(({ role }) => role === "user")
  const first = messages.slice(0, 1)
  return {
    step: messages.filter(({ role }) => role === "assistant").length,
    prompt: texts(first).at(-1) ?? "",
    text: texts(last).at(-1) ?? "",
    texts: texts(last),
    toolResults: last
      .flatMap(({ content }) => blocks(content))
      .filter(({ type }) => type === "tool_result")
      .map(flat),
    system: blocks(body.system).map(flat).join("\n"),
    tools: (body.tools ?? []).map(({ name }) => name),
    model: body.model ?? "",
    conversation: JSON.stringify(messages),
  }
}

function texts(messages: readonly Message[]): string[] {
  const all = messages.flatMap(({ content }) => blocks(content))
  return all.flatMap(({ type, text }) => (type === "text" && text ? [text] : []))
}

function blocks(content: Content = []): readonly Block[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content
}

function flat({ text, content }: Block): string {
  return text ?? blocks(content).map(flat).join("\n")
}
