import { expect, test } from "vitest"
import { dayOf, findReached, hasLimit, tokensOf } from "./budget.ts"
import { NO_USAGE } from "./usage.ts"

const SPENT = { turns: 3, timeMs: 60_000, tokens: 1_000, costUsd: 0.5 }

test.each([
  [{}, undefined],
  [{ turns: 4, timeMs: 60_001, tokens: 1_001, costUsd: 0.51 }, undefined],
  [{ turns: 3 }, "3 turns"],
  [{ timeMs: 60_000 }, "60 s of work"],
  [{ tokens: 1_000 }, "1000 tokens"],
  [{ costUsd: 0.5 }, "$0.5"],
  [{ turns: 9, costUsd: 0.2 }, "$0.2"],
])("of %j is reached: %s", (budget, reached) => {
  expect(findReached(budget, SPENT)).toBe(reached)
})

test("there is a limit as soon as one is set", () => {
  expect(hasLimit({ turns: undefined, costUsd: undefined })).toBe(false)
  expect(hasLimit({ turns: undefined, costUsd: 2 })).toBe(true)
})

test("tokens that a cache gave are not counted, and a day is UTC's", () => {
  const usage = { inputTokens: 1, outputTokens: 2, cacheReadTokens: 9_000, cacheWriteTokens: 4 }
  expect(tokensOf({ ...NO_USAGE, ...usage })).toBe(7)
  const noon = Date.UTC(2026, 1, 3, 12)
  expect(dayOf(noon)).toEqual({ startMs: Date.UTC(2026, 1, 3), endMs: Date.UTC(2026, 1, 4) })
})
