/** Maps a failure reported by Claude Code to the end of the session. */
import type {
  SDKAssistantMessageError,
  SDKMessage,
  SDKResultMessage,
} from "@anthropic-ai/claude-agent-sdk"
import type { SessionEnd } from "../../kernel/runtime/runtime.ts"

type Stuck = Extract<SessionEnd, { kind: "stuck" }>
type Failure = Stuck | Extract<SessionEnd, { kind: "postponed" }>
type ApiError = SDKAssistantMessageError

const REFUSED: readonly ApiError[] = [
  "authentication_failed",
  "oauth_org_not_allowed",
  "account_on_hold",
  "verification_required",
  "billing_error",
  "cloud_credential_error",
]
const UNAVAILABLE: readonly ApiError[] = ["rate_limit", "overloaded", "server_error"]

/** A refusal that a retry cannot change; the program would retry for minutes. */
export function refusedRetry(message: SDKMessage): Stuck | undefined {
  if (message.type !== "system" || message.subtype !== "api_retry") return undefined
  if (!REFUSED.includes(message.error)) return undefined
  return refused(`${message.error.replaceAll("_", " ")}, ${message.error_status ?? "no status"}`)
}

/** Whether the program does not know the conversation that it should resume. */
export function isUnknownSession(result: SDKResultMessage): boolean {
  if (result.subtype === "success" || result.num_turns > 0) return false
  return result.errors.some((error) => error.includes("No conversation found"))
}

/**
 * Undefined when the turn ended well. `is_error` decides: a request that failed for good still has
 * the subtype `success`.
 *
 * @param error the error mark of the model's last message, if any.
 */
export function resultFailure(
  result: SDKResultMessage,
  error: ApiError | undefined,
  turnsMax: number,
): Failure | undefined {
  if (result.subtype === "error_max_budget_usd")
    return { kind: "stuck", code: "budget", text: "its cost budget is used up" }
  if (result.subtype === "error_max_turns") {
    const setting = "agents.<name>.session.max_turns"
    return {
      kind: "stuck",
      code: "budget",
      text: `the limit of ${turnsMax} turns (${setting}) is reached`,
    }
  }
  if (!result.is_error) return undefined
  const text = result.subtype === "success" ? result.result : result.errors.join("; ")
  const status = result.subtype === "success" ? (result.api_error_status ?? null) : null
  if ((error && REFUSED.includes(error)) || status === 401 || status === 403) return refused(text)
  const isServers = status !== null && (status === 429 || status >= 500)
  if ((error && UNAVAILABLE.includes(error)) || isServers)
    return {
      kind: "postponed",
      untilMs: null,
      text: `the model API, which does not answer: ${text}`,
    }
  return { kind: "stuck", code: "failed", text: text || `the agent ended with ${result.subtype}` }
}

function refused(what: string): Stuck {
  const change = "log in with `claude` or set ANTHROPIC_API_KEY where Coppice is started"
  return {
    kind: "stuck",
    code: "api_refused",
    text: `the model API refuses us (${what}): ${change}, run \`coppice down\`, then restart the task`,
  }
}
