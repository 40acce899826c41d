import { expect, test } from "vitest"
import { arrows } from "../../../../test/support/machine.ts"
import { next } from "../../../base/machine.ts"
import { TASK, type TaskState } from "../rules.ts"
import { eventOf, possibleActions, verbOf } from "./transitions.ts"

const states = Object.keys(TASK) as TaskState[]
const possible = (
  land: "merge" | "none",
  agent: string | null = "coder",
  strategy: "git_worktree" | "static" = "git_worktree",
) =>
  Object.fromEntries(
    states.map((state) => {
      const task = { state, agent, land, strategy, returnsTo: null }
      return [state, possibleActions(task).join(" ")]
    }),
  )

// biome-ignore format: a table reads best as one
const MERGE = {
  registered: "say pause cancel delete", planning: "say pause cancel delete",
  planning_complete: "approve reject pause cancel delete", working: "say pause cancel delete",
  shipping: "pause cancel delete", reviews_in_progress: "pause cancel delete", pr_ready: "pause cancel delete",
  in_approval: "approve reject say land pause cancel delete", merging: "pause cancel delete",
  merge_failed: "land restart cancel delete", stuck: "pause restart cancel delete",
  paused: "resume cancel delete", complete: "resume delete", cancelled: "delete",
}

test("the possible actions in each state", () => {
  expect(possible("merge")).toEqual(MERGE)
  expect(possible("none")).toEqual({ ...MERGE, complete: "land resume delete" })
  expect(possible("none", "coder", "static")["complete"], "it works in a folder as it is").toBe(
    "resume delete",
  )
  const noAgent = {
    registered: "pause cancel delete",
    planning: "pause cancel delete",
    planning_complete: "approve pause cancel delete",
    working: "land pause cancel delete",
    in_approval: "approve land pause cancel delete",
    merge_failed: "land cancel delete",
    stuck: "pause cancel delete",
    complete: "delete",
  }
  expect(possible("merge", null), "no agent could continue").toEqual({ ...MERGE, ...noAgent })
})

test("the table accepts the event of every action that is possible", () => {
  for (const state of states)
    for (const returnsTo of [null, ...states]) {
      const words = { agent: "coder", land: "none", strategy: "git_worktree" } as const
      const task = { state, returnsTo, ...words }
      for (const action of possibleActions(task)) {
        if (action === "delete" || (action === "say" && state !== "in_approval")) continue
        expect(next(TASK, state, eventOf(action, task)), `${action} in ${state}`).toBeDefined()
      }
    }
})

test("every event has words", () => {
  for (const { event } of arrows(TASK)) expect(verbOf(event)).toMatch(/^[a-z ]+$/)
})
