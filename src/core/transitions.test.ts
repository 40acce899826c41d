import { expect, test } from "vitest"
import { arrows, next } from "./machine.ts"
import { TASK, type TaskState } from "./task.ts"
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
  registered: "cancel", planning: "cancel", planning_complete: "cancel", working: "cancel", shipping: "cancel",
  reviews_in_progress: "cancel", pr_ready: "cancel", in_approval: "approve reject land cancel", merging: "cancel",
  merge_failed: "land restart cancel", stuck: "restart cancel", paused: "cancel", complete: "", cancelled: "",
}

test("what a person can do in each state", () => {
  expect(possible("merge")).toEqual(MERGE)
  expect(possible("none")).toEqual({ ...MERGE, complete: "land" })
  expect(possible("none", "coder", "static")["complete"], "it works in a folder as it is").toBe("")
  const noAgent = {
    in_approval: "approve land cancel",
    merge_failed: "land cancel",
    stuck: "cancel",
  }
  expect(possible("merge", null), "nobody could go on").toEqual({ ...MERGE, ...noAgent })
})

test("the table accepts the event of every action that is possible", () => {
  for (const state of states)
    for (const returnsTo of [null, ...states]) {
      const words = { agent: "coder", land: "none", strategy: "git_worktree" } as const
      const task = { state, returnsTo, ...words }
      for (const action of possibleActions(task))
        expect(next(TASK, state, eventOf(action, task)), `${action} in ${state}`).toBeDefined()
    }
})

test("every event has words", () => {
  for (const { event } of arrows(TASK)) expect(verbOf(event)).toMatch(/^[a-z ]+$/)
})
