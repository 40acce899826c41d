import { expect, test } from "vitest"
import { arrows } from "../../../../test/support/machine.ts"
import { hasTurns, TASK, type TaskState } from "../rules.ts"
import { type Duty, dutyOf, isHalted } from "./duty.ts"

const TASK_OF_ITS_OWN = { deletion: null, reviewOf: null }
const states = Object.keys(TASK) as TaskState[]
const withDuty = (...duties: Duty[]) =>
  states.filter((state) => duties.includes(dutyOf({ ...TASK_OF_ITS_OWN, state })))

test("an agent runs exactly where a task has turns, or begins to have them", () => {
  expect(withDuty("run")).toEqual(states.filter(hasTurns))
  expect(withDuty("begin")).toEqual(["registered"])
})

test("a task whose agent was ended goes on only by an event of a person, of its landing, or of its pull request", () => {
  const byPersons = /^(paused|cancelled|landingRequested|resumed.*|restarted.*|gotStuck)$/
  const byForge = /^(pullRequest.*|reviews.*|changesRequested)$/
  const byLanding = /^(handedBack|landed|finished)$/
  for (const { from, event } of arrows(TASK))
    if (withDuty("stop").includes(from))
      expect(
        [byPersons, byForge, byLanding].some((by) => by.test(event)),
        `${from}: ${event}`,
      ).toBe(true)
})

test("a deletion goes before all else that the loop does, and halts turn and landing", () => {
  for (const state of states) {
    expect(dutyOf({ ...TASK_OF_ITS_OWN, state, deletion: "keep" })).toBe("delete")
    expect(isHalted({ state, deletion: "remove" })).toBe(true)
    expect(isHalted({ state, deletion: null })).toBe(state === "paused")
  }
})

test("a review leaves nothing behind when it is complete", () => {
  expect(dutyOf({ state: "complete", deletion: null, reviewOf: 1 })).toBe("clean")
})
