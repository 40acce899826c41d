import { expect, test } from "vitest"
import { addSampleTask, forceState } from "../../../../test/support/store.ts"
import type { TaskId } from "../../../base/ids.ts"
import { appendEvent } from "../../store/events.ts"
import { type Db, openDb } from "../../store/open.ts"
import { sql } from "../../store/sql.ts"
import { startJob } from "./jobs/record.ts"
import { KEPT_EVENT, listDueTasks, REMOVED_EVENT } from "./list-due.ts"

function addCancelled(db: Db): TaskId {
  const { id } = addSampleTask(db)
  startJob(db, id, 1000)
  forceState(db, id, "cancelled")
  return id
}

test("a cancelled task is cleaned once, whether or not it has a worktree on record", () => {
  const db = openDb(":memory:")
  const [removed, kept, left] = [addCancelled(db), addCancelled(db), addCancelled(db)]
  expect(listDueTasks(db, 0).map(({ due }) => due)).toEqual(["clean", "clean", "clean"])
  appendEvent(db, { type: REMOVED_EVENT, task: removed, data: {} }, 2000)
  appendEvent(db, { type: KEPT_EVENT, task: kept, data: {} }, 2000)
  appendEvent(db, { type: "workspace.ready", task: left, data: {} }, 2000)
  expect(listDueTasks(db, 0)).toEqual([{ id: left, due: "clean" }])
})

test("a task that was cancelled before it had a job left nothing", () => {
  const db = openDb(":memory:")
  forceState(db, addSampleTask(db).id, "cancelled")
  expect(listDueTasks(db, 0)).toEqual([])
})

test("an index skips cleaned-up tasks, however many there are", () => {
  const db = openDb(":memory:")
  const plan = sql(
    db,
    `explain query plan select 1 from events
     where task = 1 and type in ('${KEPT_EVENT}', '${REMOVED_EVENT}')`,
  ).list()
  expect(plan.map(({ detail }) => detail).join()).toContain("events_of_cleaning")
})

test("new tasks are listed by priority, and then as they came [17.3]", () => {
  const db = openDb(":memory:")
  const added = [-5, 0, 5, 0].map((priority) => addSampleTask(db, { priority }).id)
  const [low, first, high, second] = added
  expect(listDueTasks(db, 0).map(({ id }) => id)).toEqual([high, first, second, low])
})
