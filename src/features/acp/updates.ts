/**
 * Reads the updates of a session of the Agent Client Protocol: lines for a person's log, the agent's
 * last message, usage.
 *
 * Programs write the updates, so they may have any shape.
 *
 * @see https://agentclientprotocol.com/protocol/v1/prompt-turn
 */
import type { Usage } from "../../api/wire/tasks.ts"
import type { Report } from "../../kernel/runtime/runtime.ts"
import { type Fields, fieldsOf, listOf, textOf } from "../runtimes/json-fields.ts"
import { toolFailure, toolOutput, toolUse } from "../runtimes/tool-events.ts"

const countOf = (value: unknown): number =>
  Number.isSafeInteger(value) && (value as number) > 0 ? (value as number) : 0

/** A message that is longer is reported in parts, so that memory stays bounded. */
const MESSAGE_CHARS_MAX = 100_000

const LABELS: Readonly<Record<string, string>> = {
  execute: "Bash",
  edit: "Edit",
  delete: "Delete",
  move: "Move",
  read: "Read",
  search: "Search",
  fetch: "WebFetch",
}

type Tool = {
  readonly kind: string
  readonly title: string
  readonly isReported: boolean
  /** The tool's output so far, of programs that report pieces of it. */
  readonly printed: string
  readonly isEnded: boolean
}

/** The texts and tools of one turn. */
export class AcpUpdates {
  readonly #report: Pick<Report, "event" | "writes">
  #text = ""
  #messageId = ""
  #message: string | null = null
  #tools = new Map<string, Tool>()
  #answers = 0
  /** The model has the result of a tool, so what follows is its next answer. */
  #hasResult = true

  constructor(report: Pick<Report, "event" | "writes">) {
    this.#report = report
  }

  /** How many answers of the model there were, as far as the uses of tools show them. */
  get answers(): number {
    return this.#answers
  }

  read(update: Fields): void {
    const kind = textOf(update["sessionUpdate"])
    if (kind === "agent_message_chunk") this.#readText(update)
    else if (kind === "agent_thought_chunk") this.#flush()
    else if (kind === "tool_call" || kind === "tool_call_update") this.readTool(update)
  }

  /** A title may follow its call, so the line waits until the tool runs. */
  readTool(update: Fields, isStarting = false): void {
    this.#flush()
    const id = textOf(update["toolCallId"])
    const before = this.#tools.get(id)
    if (!before) this.#countAnswer()
    const kind = textOf(update["kind"]) || (before?.kind ?? "")
    const title = textOf(update["title"]) || (before?.title ?? "")
    const status = textOf(update["status"])
    const isRunning = isStarting || /^(in_progress|completed|failed)$/.test(status)
    const { isReported = false, isEnded = false } = before ?? {}
    const printed = ((before?.printed ?? "") + pieceIn(update)).slice(-MESSAGE_CHARS_MAX)
    const ends = status === "failed" || status === "completed"
    const tool = { kind, title, printed, isReported: isReported || isRunning }
    this.#tools.set(id, { ...tool, isEnded: isEnded || ends })
    const label = LABELS[kind]
    const text = label ? `${label}: ${title}` : title
    if (isRunning && !isReported) this.#report.event(toolUse(text, id))
    if (!ends) return
    this.#hasResult = true
    if (isEnded) return
    const output = outputIn(update) || printed
    const end =
      status === "failed" ? toolFailure(output || title, output, id) : toolOutput(output, id)
    for (const event of end) this.#report.event(event)
  }

  /** @returns the last thing that the agent said, or null. */
  endTurn(): string | null {
    this.#flush()
    const message = this.#message
    this.#message = null
    this.#tools = new Map()
    this.#answers = 0
    this.#hasResult = true
    return message
  }

  #readText({ content, messageId }: Fields): void {
    const id = textOf(messageId)
    if (id !== this.#messageId) this.#flush()
    this.#messageId = id
    this.#countAnswer()
    const more = textOf(fieldsOf(content)["text"])
    this.#text += more
    this.#report.writes(more)
    if (this.#text.length > MESSAGE_CHARS_MAX) this.#flush()
  }

  #flush(): void {
    const text = this.#text.trim()
    this.#text = ""
    if (!text) return
    this.#message = text
    this.#report.event({ kind: "text", text })
  }

  #countAnswer(): void {
    if (this.#hasResult) this.#answers++
    this.#hasResult = false
  }
}

/**
 * The output of a tool that has ended: before, its content is a description. Programs put the plain text in
 * `rawOutput`, or nowhere else than in the content.
 */
function outputIn({ content, rawOutput }: Fields): string {
  const texts = listOf(content).map((part) => textOf(fieldsOf(part["content"])["text"]))
  const raw = textOf(rawOutput) || textOf(fieldsOf(rawOutput)["output"])
  return raw || texts.filter(Boolean).join("\n")
}

/** An extension of the protocol: Codex reports its terminals so. */
const pieceIn = ({ _meta }: Fields): string =>
  textOf(fieldsOf(fieldsOf(_meta)["terminal_output_delta"])["data"])

/** The usage of a turn, from the answer to its prompt; the Gemini CLI has a field of its own. */
export function usageOfAnswer(answer: Fields): Usage {
  const usage = fieldsOf(answer["usage"])
  const quota = fieldsOf(fieldsOf(fieldsOf(answer["_meta"])["quota"])["token_count"])
  return {
    turns: 1,
    inputTokens: countOf(usage["inputTokens"]) || countOf(quota["input_tokens"]),
    outputTokens:
      countOf(usage["outputTokens"]) + countOf(usage["thoughtTokens"]) ||
      countOf(quota["output_tokens"]),
    cacheReadTokens: countOf(usage["cachedReadTokens"]),
    cacheWriteTokens: countOf(usage["cachedWriteTokens"]),
    costUsd: null,
  }
}

/** The cost of the session so far, in US dollars; undefined: the update does not say. */
export function totalCostUsd(update: Fields): number | undefined {
  if (update["sessionUpdate"] !== "usage_update") return undefined
  const { amount, currency } = fieldsOf(update["cost"])
  return currency === "USD" && Number.isFinite(amount) ? (amount as number) : undefined
}
