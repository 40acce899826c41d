import { describe, expect, test } from "vitest"
import { decideCleanup, type WorktreeFacts } from "./cleanup.ts"

const RULES = { ageMsMax: 10, pruneUnmerged: false }
const FACTS: WorktreeFacts = {
  use: "finished",
  hindrance: undefined,
  uncommitted: 0,
  containment: "ancestor",
  ageMs: 11,
}
const USES = ["live", "finished", "orphan", "half_made"] as const
const CONTAINMENTS = ["ancestor", "patches", "squash", "none"] as const

const decide = (facts: Partial<WorktreeFacts>, rules: Partial<typeof RULES> = {}) =>
  decideCleanup({ ...FACTS, ...facts }, { ...RULES, ...rules })

test("L19: what is old and contained goes; what is not contained stays, unless it is to be pruned", () => {
  expect(decide({})).toMatchObject({ action: "remove", isSafe: true })
  expect(decide({ ageMs: 10 })).toMatchObject({ action: "keep", isSafe: true })
  expect(decide({ containment: "none" })).toMatchObject({ action: "keep", isSafe: false })
  const pruned = decide({ containment: "none" }, { pruneUnmerged: true })
  expect(pruned).toMatchObject({ action: "remove", isSafe: false })
  expect(decide({ containment: "none", ageMs: 1 }, { pruneUnmerged: true }).action).toBe("keep")
})

describe("whatever the rules", () => {
  const rules = { ageMsMax: 0, pruneUnmerged: true }
  test.each(USES)("a worktree that is %s stays where something speaks against it", (use) => {
    for (const containment of CONTAINMENTS) {
      const kept = { action: "keep", isSafe: false }
      expect(decide({ use, containment, hindrance: "locked" }, rules)).toMatchObject(kept)
      const uncommitted = decide({ use, containment, uncommitted: 1 }, rules)
      if (use !== "half_made") expect(uncommitted).toMatchObject(kept)
    }
  })

  test("what a task that is not over has stays", () => {
    for (const containment of CONTAINMENTS)
      expect(decide({ use: "live", containment }, rules)).toMatchObject({ action: "keep" })
  })
})

test("an orphan needs no age", () => {
  expect(decide({ use: "orphan", ageMs: 0 }).action).toBe("remove")
  expect(decide({ use: "orphan", ageMs: 0, containment: "none" }).action).toBe("keep")
})
