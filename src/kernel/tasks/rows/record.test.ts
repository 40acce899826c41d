import { expect, test } from "vitest"
import { arrows } from "../../../../test/support/machine.ts"
import { addSampleTask, forceState } from "../../../../test/support/store.ts"
import type { TaskId } from "../../../base/ids.ts"
import { next } from "../../../base/machine.ts"
import { listEvents } from "../../store/events.ts"
import { type Db, openDb } from "../../store/open.ts"
import { restartState, TASK, type TaskEvent, type TaskState } from "../rules.ts"
import { findTask } from "./find.ts"
import { recordTask } from "./record.ts"

const states = Object.keys(TASK) as TaskState[]
const events = [...new Set(arrows(TASK).map(({ event }) => event))]

/** Records that `event` happened to the task in the state it is in. */
function happens(db: Db, id: TaskId, event: TaskEvent, reason?: string) {
  const task = findTask(db, id)!
  const text = reason === undefined ? {} : { reason: { code: "failed", text: reason } as const }
  expect(recordTask(db, task, { event, ...text }, 2000)).toBe(true)
  return findTask(db, id)!
}

test("every arrow of the table is taken, and every other is refused with what is possible", () => {
  const db = openDb(":memory:")
  const { id } = addSampleTask(db)
  for (const from of states)
    for (const event of events) {
      const to = next(TASK, from, event)
      const returnsTo = from === "stuck" && to && restartState(to) === to ? to : (to ?? "working")
      forceState(db, id, from, returnsTo)
      const record = () => recordTask(db, { id, state: from }, { event }, 2000)
      if (to === undefined)
        expect(record, `${from} ${event}`).toThrow(
          expect.objectContaining({
            code: "task.refused",
            blame: "user",
            message: expect.stringContaining(`Task 1 is ${from}: it cannot `),
            hints: expect.arrayContaining([expect.stringMatching(/^Possible now: .*delete/)]),
          }),
        )
      else expect(record(), `${from} ${event}`).toBe(true)
      expect(findTask(db, id)?.state).toBe(to ?? from)
    }
})

test("a refusal is in words that a person understands", () => {
  const db = openDb(":memory:")
  const { id } = addSampleTask(db)
  forceState(db, id, "stuck", "working")
  expect(() => recordTask(db, { id, state: "stuck" }, { event: "landingRequested" }, 1)).toThrow(
    expect.objectContaining({
      message: "Task 1 is stuck: it cannot be landed.",
      hints: ["Possible now: pause, restart, cancel, delete."],
    }),
  )
})

test("a row that has moved is left alone, without an event [1.2]", () => {
  const db = openDb(":memory:")
  const stale = addSampleTask(db)
  happens(db, stale.id, "started")
  const before = listEvents(db, { after: 0, limit: 99 })
  expect(recordTask(db, stale, { event: "cancelled" }, 3000)).toBe(false)
  expect(findTask(db, stale.id)?.state).toBe("working")
  expect(listEvents(db, { after: 0, limit: 99 })).toEqual(before)
})

test("a transition and the event that tells of it are one", () => {
  const db = openDb(":memory:")
  const { id } = addSampleTask(db)
  happens(db, id, "started")
  happens(db, id, "gotStuck", "no key")
  happens(db, id, "restarted:working")
  happens(db, id, "landingRequested")
  const told = listEvents(db, { after: 0, limit: 99 }).map(({ type, data }) => ({ type, ...data }))
  const reason = { code: "failed", text: "no key" }
  expect(told).toEqual([
    { type: "task.created", title: "Greet people", agent: "coder", workItem: null },
    { type: "task.started", from: "registered", to: "working", reason: null },
    { type: "task.got_stuck", from: "working", to: "stuck", reason },
    { type: "task.restarted", from: "stuck", to: "working", reason: null },
    { type: "task.landing_requested", from: "working", to: "merging", reason: null },
  ])
})

test("a stuck task that is paused, resumed and restarted is where it got stuck, its reason kept", () => {
  const db = openDb(":memory:")
  const { id } = addSampleTask(db)
  happens(db, id, "planStarted")
  expect(happens(db, id, "gotStuck", "lost")).toMatchObject({ returnsTo: "planning" })
  const reason = { code: "failed", text: "lost" }
  expect(happens(db, id, "paused")).toMatchObject({ returnsTo: "stuck", reason })
  expect(happens(db, id, "resumed:stuck")).toMatchObject({ returnsTo: "planning", reason })
  expect(happens(db, id, "restarted:planning")).toMatchObject({ returnsTo: null, reason: null })
})

test("a task returns only to where it was", () => {
  const db = openDb(":memory:")
  const { id } = addSampleTask(db)
  happens(db, id, "started")
  happens(db, id, "paused")
  expect(recordTask(db, { id, state: "paused" }, { event: "resumed:merging" }, 1)).toBe(false)
  expect(happens(db, id, "resumed:working").state).toBe("working")
  happens(db, id, "gotStuck", "lost")
  expect(recordTask(db, { id, state: "stuck" }, { event: "restarted:shipping" }, 1)).toBe(false)
  expect(findTask(db, id)?.state).toBe("stuck")
})

test("a reason is kept with its state, and gone with it", () => {
  const db = openDb(":memory:")
  const { id } = addSampleTask(db)
  forceState(db, id, "merging")
  const reason = { code: "landing", text: "SQUASH_CONFLICT in a.txt" } as const
  recordTask(db, { id, state: "merging" }, { event: "landingFailed", reason }, 2000)
  expect(findTask(db, id)).toMatchObject({ reason, updatedAtMs: 2000 })
  expect(happens(db, id, "landingRequested").reason).toBeNull()
})
