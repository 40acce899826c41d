/** Reads what Claude Code reports about a subscription's limits. */
import type { SDKRateLimitInfo } from "@anthropic-ai/claude-agent-sdk"
import { fnv1a } from "../../base/text/hash.ts"
import type { SeenLimit } from "../../kernel/runtime/runtime.ts"

/** Names that people know; other limits keep the program's name. */
const NAMES: Readonly<Record<string, string>> = {
  five_hour: "5-hour limit",
  seven_day: "weekly limit",
  seven_day_opus: "weekly limit of Opus",
  seven_day_sonnet: "weekly limit of Sonnet",
}

/** @returns undefined if it reports no limit, or if the account pays for extra use. */
export function seenLimit(info: SDKRateLimitInfo): SeenLimit | undefined {
  const { status, utilization, resetsAt, rateLimitType = "usage limit", isUsingOverage } = info
  if (resetsAt === undefined || isUsingOverage) return undefined
  const share = status === "rejected" ? 1 : (utilization ?? 0)
  const name = NAMES[rateLimitType] ?? rateLimitType.replaceAll("_", " ")
  return { share: Math.min(1, share), resetAtMs: resetsAt * 1000, name }
}

/**
 * The login of an agent: a settings folder, or the token of a subscription. An API key has no such limits; its use is counted
 * elsewhere.
 */
export function claudeAccount(env: Readonly<Record<string, string>>): string | null {
  const { ANTHROPIC_API_KEY: key, ANTHROPIC_AUTH_TOKEN: token, CLAUDE_CONFIG_DIR, HOME } = env
  const { CLAUDE_CODE_OAUTH_TOKEN: ofAccount } = env
  if (key || token) return null
  if (ofAccount) return `claude:token ${fnv1a(ofAccount)}`
  return `claude:${CLAUDE_CONFIG_DIR ?? `${HOME}/.claude`}`
}
