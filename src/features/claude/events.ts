/**
 * Picks the parts of Claude's messages that a person sees: texts, tools and what they printed, notices.
 */
import { relative } from "node:path"
import type { SDKMessage, SDKPartialAssistantMessage } from "@anthropic-ai/claude-agent-sdk"
import type { AgentEvent } from "../../kernel/runtime/runtime.ts"
import { toolFailure, toolOutput, toolUse } from "../runtimes/tool-events.ts"

/** The arguments that describe a call best, best first. */
const DESCRIPTIVE = [
  "command",
  "file_path",
  "notebook_path",
  "pattern",
  "url",
  "query",
  "description",
]

type Block = {
  readonly type: string
  readonly text?: string
  readonly name?: string
  readonly id?: string
  readonly tool_use_id?: string
  readonly input?: unknown
  readonly content?: unknown
  readonly is_error?: boolean | undefined
}

/** @param cwd paths below it are shown relative to it. */
export function claudeEvents(message: SDKMessage, cwd: string): AgentEvent[] {
  if (message.type === "assistant")
    return blocksOf(message.message.content).flatMap((block) => assistantEvent(block, cwd) ?? [])
  if (message.type === "user") return blocksOf(message.message.content).flatMap(toolEnd)
  if (message.type !== "system" || message.subtype !== "api_retry") return []
  const { error, error_status, attempt, max_retries, retry_delay_ms } = message
  const what = `${error.replaceAll("_", " ")}${error_status ? ` (${error_status})` : ""}`
  const wait = `${Math.ceil(retry_delay_ms / 1000)} s`
  const text = `The model API failed: ${what}; trying again in ${wait} (${attempt} of ${max_retries}).`
  return [{ kind: "notice", text }]
}

/** The next piece of a text of the agent itself; null: a new message. Undefined for all else. */
export function writtenIn({
  event,
  parent_tool_use_id,
}: SDKPartialAssistantMessage): string | null | undefined {
  if (parent_tool_use_id !== null) return undefined
  if (event.type === "message_start") return null
  if (event.type !== "content_block_delta" || event.delta.type !== "text_delta") return undefined
  return event.delta.text
}

function assistantEvent(block: Block, cwd: string): AgentEvent | undefined {
  if (block.type === "text" && block.text?.trim()) return { kind: "text", text: block.text }
  if (block.type === "tool_use") return toolUse(toolLine(block, cwd), block.id ?? "")
  return undefined // thinking and the like stay private
}

function toolLine({ name = "tool", input }: Block, cwd: string): string {
  const values = (input ?? {}) as Readonly<Record<string, unknown>>
  const value =
    DESCRIPTIVE.map((key) => values[key]).find((candidate) => typeof candidate === "string") ??
    Object.values(values).find((candidate) => typeof candidate === "string")
  if (typeof value !== "string") return name
  const below = value.startsWith(`${cwd}/`) ? relative(cwd, value) : value
  return `${name}: ${below}`
}

/** The output of a tool, and its failure. */
function toolEnd(block: Block): AgentEvent[] {
  if (block.type !== "tool_result") return []
  const printed = blocksOf(block.content)
    .flatMap(({ text }) => text ?? [])
    .join("\n")
  const id = block.tool_use_id ?? ""
  return block.is_error ? toolFailure(printed, printed, id) : toolOutput(printed, id)
}

function blocksOf(content: unknown): readonly Block[] {
  if (typeof content === "string") return [{ type: "text", text: content }]
  return Array.isArray(content) ? content : []
}
