/** Reads what Codex reports: lines for a person's log, usage, limits and failures. */
import type { Usage } from "../../api/wire/tasks.ts"
import type { AgentEvent, SeenLimit, SessionEnd } from "../../kernel/runtime/runtime.ts"
import { type Fields, fieldsOf, listOf, numberOf, textOf } from "../runtimes/json-fields.ts"
import { toolFailure, toolOutput, toolUse } from "../runtimes/tool-events.ts"

/**
 * The lines of a log for an item that begins: one for each use of a tool.
 *
 * @see the types that `codex app-server generate-ts` writes.
 */
export function startedEvents(item: Fields): AgentEvent[] {
  const tool = (text: string): AgentEvent => toolUse(text, textOf(item["id"]))
  const said = (name: string) => textOf(item[name])
  const type = said("type")
  if (type === "commandExecution") return [tool(`Bash: ${said("command")}`)]
  if (type === "fileChange")
    return listOf(item["changes"]).map(({ path }) => tool(`Edit: ${textOf(path)}`))
  if (type === "mcpToolCall") return [tool(`${said("server")}: ${said("tool")}`)]
  return type === "webSearch" ? [tool(`WebSearch: ${said("query")}`)] : []
}

/** The same when it ends: texts, what tools printed, and tools that failed. */
export function completedEvents(item: Fields): AgentEvent[] {
  const text = saidIn(item)
  if (text !== "") return [{ kind: "text", text }]
  const [printed, id] = [printedIn(item), textOf(item["id"])]
  const code = numberOf(item["exitCode"])
  if (item["type"] !== "commandExecution" || code === 0) return toolOutput(printed, id)
  return toolFailure(`Exit code ${code}`, printed, id)
}

function printedIn(item: Fields): string {
  if (item["type"] === "commandExecution") return textOf(item["aggregatedOutput"])
  if (item["type"] !== "mcpToolCall") return ""
  const texts = listOf(fieldsOf(item["result"])["content"]).map(({ text }) => textOf(text))
  return [...texts, textOf(fieldsOf(item["error"])["message"])].filter(Boolean).join("\n")
}

/** The text of the agent in an item; possibly empty. */
export const saidIn = (item: Fields): string =>
  item["type"] === "agentMessage" ? textOf(item["text"]) : ""

/** One answer of the model. Codex does not know the price. */
export function usageOf(last: Fields): Usage {
  const cacheReadTokens = numberOf(last["cachedInputTokens"])
  return {
    turns: 0,
    inputTokens: Math.max(0, numberOf(last["inputTokens"]) - cacheReadTokens),
    outputTokens: numberOf(last["outputTokens"]),
    cacheReadTokens,
    cacheWriteTokens: numberOf(last["cacheWriteInputTokens"]),
    costUsd: null,
  }
}

export function seenLimits(limits: Fields): SeenLimit[] {
  return [limits["primary"], limits["secondary"]].map(fieldsOf).flatMap((window) => {
    const [resetsAt, minutes] = [window["resetsAt"], window["windowDurationMins"]].map(numberOf)
    if (!resetsAt) return []
    const name = minutes ? `${Math.round(minutes / 60)}-hour limit` : "usage limit"
    const share = Math.min(1, numberOf(window["usedPercent"]) / 100)
    return [{ share, resetAtMs: resetsAt * 1000, name }]
  })
}

const UNAVAILABLE =
  /rateLimitExceeded|serverOverloaded|internalServerError|httpConnectionFailed|responseStream|responseTooManyFailedAttempts|usageLimitExceeded/

/** @param limits as last seen. */
export function failureOf(error: Fields, limits: readonly SeenLimit[]): SessionEnd {
  const message = textOf(error["message"]) || "it gave no reason"
  const { codexErrorInfo } = error
  const info = JSON.stringify(codexErrorInfo ?? "")
  if (/unauthorized/.test(info) || /"httpStatusCode":40[13]/.test(info)) return refused(message)
  if (/usageLimitExceeded/.test(info)) {
    const used = limits
      .filter(({ share }) => share >= 1)
      .toSorted((a, b) => b.resetAtMs - a.resetAtMs)
    const untilMs = used[0]?.resetAtMs ?? null
    return {
      kind: "postponed",
      untilMs,
      text: `the usage limit of its account to be reset: ${message}`,
    }
  }
  if (UNAVAILABLE.test(info)) {
    const text = `the model API, which does not answer: ${message}`
    return { kind: "postponed", untilMs: null, text }
  }
  return { kind: "stuck", code: "failed", text: `the turn failed: ${message}` }
}

function refused(what: string): SessionEnd {
  const change = "log in with `codex login` or set OPENAI_API_KEY where Coppice is started"
  const text = `the model API refuses us (${what}): ${change}, run \`coppice down\`, then restart the task`
  return { kind: "stuck", code: "api_refused", text }
}
