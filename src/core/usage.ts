/** What an agent's turns cost. Pure. */
import type { Usage } from "./wire.ts"

/** What two parts of a turn used; the cost is that of the parts whose cost is known. */
export function addUsage(one: Usage, other: Usage): Usage {
  return {
    turns: one.turns + other.turns,
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    cacheReadTokens: one.cacheReadTokens + other.cacheReadTokens,
    cacheWriteTokens: one.cacheWriteTokens + other.cacheWriteTokens,
    costUsd: other.costUsd === null ? one.costUsd : (one.costUsd ?? 0) + other.costUsd,
  }
}

/** Of a turn whose end the agent did not live to report. */
export const NO_USAGE: Usage = {
  turns: 1,
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  costUsd: null,
}
