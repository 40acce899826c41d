import { describe, expect, test } from "vitest"
import { decideCleanup, type WorktreeFacts } from "./rules.ts"

const RULES = { ageMsMax: 10, pruneUnmerged: false }
const FACTS: WorktreeFacts = {
  use: "finished",
  blocker: undefined,
  uncommitted: 0,
  isContained: true,
  ageMs: 11,
}
const USES = ["live", "finished", "orphan"] as const

const decide = (facts: Partial<WorktreeFacts>, rules: Partial<typeof RULES> = {}) =>
  decideCleanup({ ...FACTS, ...facts }, { ...RULES, ...rules })

test("L19: an old worktree goes if its work is contained; else it stays, unless it may be pruned", () => {
  expect(decide({})).toMatchObject({ action: "remove", isSafe: true })
  expect(decide({ ageMs: 10 })).toMatchObject({ action: "keep", isSafe: true })
  expect(decide({ isContained: false })).toMatchObject({ action: "keep", isSafe: false })
  const pruned = decide({ isContained: false }, { pruneUnmerged: true })
  expect(pruned).toMatchObject({ action: "remove", isSafe: false })
  expect(decide({ isContained: false, ageMs: 1 }, { pruneUnmerged: true }).action).toBe("keep")
})

describe("under all rules", () => {
  const rules = { ageMsMax: 0, pruneUnmerged: true }
  test.each(USES)("a worktree that is %s stays where something speaks against it", (use) => {
    for (const isContained of [true, false]) {
      const kept = { action: "keep", isSafe: false }
      expect(decide({ use, isContained, blocker: "locked" }, rules)).toMatchObject(kept)
      expect(decide({ use, isContained, uncommitted: 1 }, rules)).toMatchObject(kept)
    }
  })

  test("worktrees of an unfinished task stay [33.1]", () => {
    for (const isContained of [true, false])
      expect(decide({ use: "live", isContained }, rules)).toMatchObject({ action: "keep" })
  })
})

test("a worktree that is kept on purpose is no problem, and goes when it is old, with its work rescued [33.12]", () => {
  const wish = { why: "kept on purpose", mayRescue: true }
  const kept = { action: "keep", why: wish.why, isSafe: true }
  for (const facts of [{}, { isContained: false }, { uncommitted: 1 }]) {
    expect(decide({ ...facts, wish, ageMs: 10 })).toEqual(kept)
    expect(decide({ ...facts, wish })).toMatchObject({ action: "remove" })
  }
  const landed = { ...wish, mayRescue: false }
  expect(decide({ wish: landed, uncommitted: 1 })).toMatchObject({ action: "remove" })
  expect(decide({ wish: landed, isContained: false })).toMatchObject({ action: "keep" })
  expect(decide({ wish, blocker: "locked" })).toMatchObject({ action: "keep", isSafe: false })
})

test("an orphan needs no age", () => {
  expect(decide({ use: "orphan", ageMs: 0 }).action).toBe("remove")
  expect(decide({ use: "orphan", ageMs: 0, isContained: false }).action).toBe("keep")
})
