/**
 * What an agent may spend: turns, time, tokens, money. Pure.
 *
 * A task's budget is that of a job: a person who starts it again grants it once more. What a home may
 * spend in a day is no task's fault; tasks wait for the next day (UTC).
 */
import type { Usage } from "./wire.ts"

/** Undefined: without a limit. */
export type Budget = {
  readonly turns?: number | undefined
  readonly timeMs?: number | undefined
  readonly tokens?: number | undefined
  /** US dollars, as far as the program tells them. */
  readonly costUsd?: number | undefined
}

export type Spent = {
  readonly turns: number
  /** Of turns: what a landing takes counts for nobody. */
  readonly timeMs: number
  readonly tokens: number
  readonly costUsd: number
}

const DAY_MS = 86_400_000

/** What was read from a cache is not counted: it costs next to nothing, and is told again each time. */
export function tokensOf({ inputTokens, outputTokens, cacheWriteTokens }: Usage): number {
  return inputTokens + outputTokens + cacheWriteTokens
}

/** Whether there is a limit at all: else what was spent need not be summed up. */
export const hasLimit = (budget: Budget): boolean =>
  Object.values(budget).some((limit) => limit !== undefined)

/** The first limit that is reached, in words; undefined where none is. */
export function findReached(budget: Budget, spent: Spent): string | undefined {
  const { turns, timeMs, tokens, costUsd } = budget
  if (turns !== undefined && spent.turns >= turns) return `${turns} turns`
  if (timeMs !== undefined && spent.timeMs >= timeMs)
    return `${Math.round(timeMs / 1000)} s of work`
  if (tokens !== undefined && spent.tokens >= tokens) return `${tokens} tokens`
  if (costUsd !== undefined && spent.costUsd >= costUsd) return `$${costUsd}`
  return undefined
}

/** When the day that `nowMs` is in began, and when the next one does. */
export function dayOf(nowMs: number): { readonly startMs: number; readonly endMs: number } {
  const startMs = Math.floor(nowMs / DAY_MS) * DAY_MS
  return { startMs, endMs: startMs + DAY_MS }
}
