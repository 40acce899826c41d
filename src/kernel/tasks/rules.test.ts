import fc from "fast-check"
import { expect, test } from "vitest"
import { expectGenerated } from "../../../test/support/generated.ts"
import { arrows, toMermaid } from "../../../test/support/machine.ts"
import { next } from "../../base/machine.ts"
import type { LandingOutcome, LandingState } from "../landing/rules.ts"
import {
  ACTIVE_STATES,
  isSettled,
  needsAttention,
  restartState,
  TASK,
  type TaskEvent,
  type TaskState,
} from "./rules.ts"

const states = Object.keys(TASK) as TaskState[]
const into = (state: TaskState) => arrows(TASK).filter(({ to }) => to === state)
const accepting = (event: TaskEvent) => states.filter((state) => next(TASK, state, event))

test("every active task can get stuck, be paused and be cancelled", () => {
  expect(accepting("gotStuck")).toEqual(ACTIVE_STATES)
  expect(accepting("paused")).toEqual([...ACTIVE_STATES, "stuck"])
  const stopped = ["merge_failed", "stuck", "paused"]
  expect(accepting("cancelled")).toEqual([...ACTIVE_STATES, ...stopped])
})

test("a paused task can return to each state from which it can be paused, and to no other", () => {
  const returns = arrows(TASK).filter(({ from, to }) => from === "paused" && to !== "cancelled")
  expect(returns.map(({ to }) => to)).toEqual(accepting("paused"))
  for (const { event, to } of returns) expect(event).toBe(`resumed:${to}`)
})

test("a restart event names the state that it leads to", () => {
  for (const { event, to } of arrows(TASK))
    if (event.startsWith("restarted:")) expect(event).toBe(`restarted:${to}`)
})

// biome-ignore format: a table reads best as one
test.each([
  ["registered", "working"], ["planning", "planning"], ["planning_complete", "planning"],
  ["working", "working"], ["shipping", "shipping"], ["reviews_in_progress", "working"],
  ["pr_ready", "working"], ["in_approval", "working"], ["merging", "working"], [null, "working"],
] as const)("a task that got stuck in %s restarts in %s, which the table allows", (from, to) => {
  expect(restartState(from)).toBe(to)
  expect(next(TASK, "stuck", `restarted:${to}`)).toBe(to)
})

test("work is called complete only after it landed, was merged, had nothing to land, or is kept as configured", () => {
  const ends = into("complete").map(({ from, event }) => `${from} ${event}`)
  expect(ends.toSorted()).toEqual([
    "merging landed",
    "pr_ready pullRequestMerged",
    "reviews_in_progress pullRequestMerged",
    "shipping finished",
    "shipping landed",
    "working finished",
  ])
})

test("every state can be reached from the first, and can reach an end", () => {
  const reach = (from: TaskState) => {
    const seen = new Set([from])
    for (const state of seen) for (const to of Object.values(TASK[state])) seen.add(to)
    return seen
  }
  expect([...reach("registered")].toSorted()).toEqual(states.toSorted())
  for (const state of states)
    expect(reach(state).has("complete") || reach(state).has("cancelled")).toBe(true)
  expect(states.filter((state) => Object.keys(TASK[state]).length === 0)).toEqual(["cancelled"])
})

test("in every order of events, a restart or a resume repeats a phase and never skips one", () => {
  const walk = (throws: number[]) => {
    const phases = new Set<TaskState>()
    let state: TaskState = "registered"
    let stuckIn: TaskState | null = null
    let pausedIn: TaskState | null = null
    for (const thrown of throws) {
      phases.add(state)
      const possible = arrows(TASK).filter(({ from, event, to }) => {
        if (from !== state) return false
        if (event.startsWith("resumed:")) return to === pausedIn
        return (
          from !== "stuck" || to === "paused" || to === "cancelled" || to === restartState(stuckIn)
        )
      })
      const arrow = possible[thrown % possible.length]
      if (!arrow) break
      if (arrow.event === "gotStuck") stuckIn = state
      if (arrow.event === "paused") pausedIn = state
      const returns = /^(restarted|resumed):/.test(arrow.event)
      const skips = returns && arrow.to !== "working" && !phases.has(arrow.to)
      expect(skips, `${arrow.event} after ${[...phases].join(", ")}`).toBe(false)
      state = arrow.to
    }
  }
  fc.assert(fc.property(fc.array(fc.nat(), { maxLength: 60 }), walk), { numRuns: 1000 })
})

// biome-ignore format: a table reads best as one
test("tasks that need attention, and tasks that wait for a person", () => {
  const alone = { asks: false, landing: null }
  expect(states.filter((state) => needsAttention({ state, ...alone }))).toEqual(
    ["planning_complete", "in_approval", "merge_failed", "stuck"])
  expect(states.filter(isSettled)).toEqual(
    ["planning_complete", "pr_ready", "in_approval", "merge_failed", "stuck", "paused", "complete", "cancelled"])
})

test("a question needs attention in every state except cancelled", () => {
  const asking = states.filter((state) => needsAttention({ state, asks: true, landing: null }))
  expect(asking).toEqual(states.filter((state) => state !== "cancelled"))
})

test("a waiting landing of a merging task needs attention if only a person can unblock it [17.11]", () => {
  const wants = (state: TaskState, outcome: LandingOutcome, landing: LandingState = "waiting") =>
    needsAttention({ state, asks: false, landing: { state: landing, outcome } })
  for (const outcome of ["TARGET_RED", "GATE_UNAVAILABLE"] as const) {
    expect(wants("merging", outcome)).toBe(true)
    expect(wants("merging", outcome, "gating")).toBe(false) // a person has acted
    expect(wants("paused", outcome)).toBe(false)
    expect(wants("cancelled", outcome)).toBe(false)
  }
  for (const outcome of ["DIRTY_MAIN", "LOCKED", "UPDATE_REF_FAILED", "FF_NOT_POSSIBLE"] as const)
    expect(wants("merging", outcome)).toBe(false)
})

test("the diagram in the docs is the table", async () => {
  await expectGenerated("docs/generated/task.mermaid", toMermaid(TASK, "registered"))
})
