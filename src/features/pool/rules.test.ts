import { expect, test } from "vitest"
import { worktreesAhead } from "./rules.ts"

const DAY_MS = 24 * 60 * 60_000

test.each([
  ["no task has had a worktree there", undefined, 0],
  ["set-up is quick and files are few", { ms: 5_000, files: 5_000, at: 0 }, 0],
  ["set-up takes over 5 s", { ms: 5_001, files: 10, at: 0 }, 1],
  ["there are over 5,000 files", { ms: 0, files: 5_001, at: 0 }, 1],
  ["the last task was eight days ago", { ms: 60_000, files: 50_000, at: -8 * DAY_MS }, 0],
])("a pool is on by default where it pays: %s [27.1]", (_, cost, ahead) => {
  expect(worktreesAhead("auto", cost, 0)).toBe(ahead)
})

test("a number is that many worktrees, whatever they cost", () => {
  expect(worktreesAhead(3, undefined, 0)).toBe(3)
  expect(worktreesAhead(0, { ms: 60_000, files: 50_000, at: 0 }, 0)).toBe(0)
})
