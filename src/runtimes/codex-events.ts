/** Reads what Codex reports: lines for a person's log, usage, limits and failures. */
import type { Usage } from "../core/wire/tasks.ts"
import type { AgentEvent, SeenLimit, SessionEnd } from "./runtime.ts"

/** The fields that we read, of the types that `codex app-server generate-ts` writes. */
export type CodexItem = {
  readonly type: string
  readonly text?: string
  readonly command?: string
  readonly exitCode?: number | null
  readonly server?: string
  readonly tool?: string
  readonly query?: string
  readonly changes?: readonly { readonly path: string }[]
}

/** One line of a log; the whole call is in the transcript. */
const LINE_CHARS_MAX = 200
const oneLine = (text: string) => text.replace(/\s+/g, " ").trim().slice(0, LINE_CHARS_MAX)

/** The lines of a log for an item that begins: one for each use of a tool. */
export function startedEvents(item: CodexItem): AgentEvent[] {
  const tool = (text: string): AgentEvent => ({ kind: "tool", text: oneLine(text) })
  if (item.type === "commandExecution") return [tool(`Bash: ${item.command}`)]
  if (item.type === "fileChange")
    return (item.changes ?? []).map(({ path }) => tool(`Edit: ${path}`))
  if (item.type === "mcpToolCall") return [tool(`${item.server}: ${item.tool}`)]
  return item.type === "webSearch" ? [tool(`WebSearch: ${item.query}`)] : []
}

/** The same when it ends: texts, and tools that failed. */
export function completedEvents(item: CodexItem): AgentEvent[] {
  if (item.type === "agentMessage" && item.text) return [{ kind: "text", text: item.text }]
  if (item.type !== "commandExecution" || !item.exitCode) return []
  return [{ kind: "notice", text: `A tool failed: Exit code ${item.exitCode}` }]
}

export type CodexTokens = {
  readonly inputTokens: number
  readonly cachedInputTokens: number
  readonly cacheWriteInputTokens?: number
  readonly outputTokens: number
}

/** One answer of the model. Codex does not know the price. */
export function usageOf(last: CodexTokens): Usage {
  return {
    turns: 0,
    inputTokens: Math.max(0, last.inputTokens - last.cachedInputTokens),
    outputTokens: last.outputTokens,
    cacheReadTokens: last.cachedInputTokens,
    cacheWriteTokens: last.cacheWriteInputTokens ?? 0,
    costUsd: null,
  }
}

type Window = {
  readonly usedPercent: number
  readonly windowDurationMins: number | null
  readonly resetsAt: number | null
}
export type CodexLimits = { readonly primary: Window | null; readonly secondary: Window | null }

export function seenLimits({ primary, secondary }: CodexLimits): SeenLimit[] {
  return [primary, secondary].flatMap((window) => {
    if (!window || window.resetsAt === null) return []
    const { usedPercent, windowDurationMins: minutes, resetsAt } = window
    const name = minutes === null ? "usage limit" : `${Math.round(minutes / 60)}-hour limit`
    return [{ share: Math.min(1, usedPercent / 100), resetAtMs: resetsAt * 1000, name }]
  })
}

export type CodexError = { readonly message: string; readonly codexErrorInfo?: unknown }

const UNAVAILABLE =
  /rateLimitExceeded|serverOverloaded|internalServerError|httpConnectionFailed|responseStream|responseTooManyFailedAttempts|usageLimitExceeded/

/** @param limits as last seen. */
export function failureOf(error: CodexError | null, limits: readonly SeenLimit[]): SessionEnd {
  const { message = "it gave no reason", codexErrorInfo } = error ?? {}
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
