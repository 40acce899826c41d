/**
 * The budget of an agent: turns, time, tokens, money. Pure.
 *
 * A task's budget counts per job: a person who starts the task again grants it again. When a home has
 * spent its budget of the day, tasks wait for the next day (UTC).
 */
import type { Usage } from "../../../api/wire/tasks.ts"

/** Undefined: without a limit. */
export type Budget = {
  readonly turns?: number | undefined
  readonly timeMs?: number | undefined
  readonly tokens?: number | undefined
  /** US dollars, as far as the program reports them. */
  readonly costUsd?: number | undefined
}

export type Spent = {
  readonly turns: number
  /** Time of turns; the time of a landing does not count. */
  readonly timeMs: number
  readonly tokens: number
  readonly costUsd: number
}

const DAY_MS = 86_400_000

/** Excludes cache reads: they cost next to nothing, and are reported again each time. */
export function tokensOf({ inputTokens, outputTokens, cacheWriteTokens }: Usage): number {
  return inputTokens + outputTokens + cacheWriteTokens
}

/** Whether there is any limit; else there is no need to sum up the spending. */
export const hasLimit = (budget: Budget): boolean =>
  Object.values(budget).some((limit) => limit !== undefined)

/** The first limit that is reached, in words; else undefined. */
export function findReached(budget: Budget, spent: Spent): string | undefined {
  const { turns, timeMs, tokens, costUsd } = budget
  if (turns !== undefined && spent.turns >= turns) return `${turns} turns`
  if (timeMs !== undefined && spent.timeMs >= timeMs)
    return `${Math.round(timeMs / 1000)} s of work`
  if (tokens !== undefined && spent.tokens >= tokens) return `${tokens} tokens`
  if (costUsd !== undefined && spent.costUsd >= costUsd) return `$${costUsd}`
  return undefined
}

/** Start and end of the day of `nowMs`. */
export function dayOf(nowMs: number): { readonly startMs: number; readonly endMs: number } {
  const startMs = Math.floor(nowMs / DAY_MS) * DAY_MS
  return { startMs, endMs: startMs + DAY_MS }
}
