/** What an agent's turns cost. Pure. */
import type { Usage } from "./wire.ts"

/** Of a turn whose end the agent did not live to report. */
export const NO_USAGE: Usage = {
  turns: 1,
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  costUsd: null,
}
