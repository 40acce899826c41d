/** The cost of an agent's turns. Pure. */
import type { Usage } from "../../../api/wire/tasks.ts"

/** The sum of two parts of a turn; parts of unknown cost do not count. */
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

/** For a turn whose agent died before it reported. */
export const NO_USAGE: Usage = {
  turns: 1,
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  costUsd: null,
}
