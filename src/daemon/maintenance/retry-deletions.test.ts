import { expect, test } from "vitest"
import { addSampleLanding, addSampleTask } from "../../../test/support/store.ts"
import { openDb } from "../../store/open.ts"
import { sql } from "../../store/sql.ts"
import { findTask } from "../../store/tasks/find.ts"
import {
  recordDeletionFailed,
  requestDeletion,
  withdrawDeletion,
} from "../../store/tasks/set-deletion.ts"
import { retryDeletions } from "./retry-deletions.ts"

const world = { nowMs: () => 5, dice: () => 0, point: () => {} }

test("a deletion that failed is tried again as it was asked for, unless somebody wants the task to go on", () => {
  const db = openDb(":memory:")
  const [removed, kept, wanted, untouched] = [1, 2, 3, 4].map(() => addSampleTask(db))
  const publishing = { id: addSampleLanding(db).task }
  sql(db, "update landings set state = 'publishing'").run()
  for (const task of [removed!, kept!, wanted!, publishing]) {
    requestDeletion(db, task, task === kept ? "keep" : "remove", 1)
    recordDeletionFailed(db, findTask(db, task.id)!, "a file is busy", 2)
  }
  withdrawDeletion(db, wanted!)
  retryDeletions({ db, world })
  const now = [removed!, kept!, wanted!, untouched!, publishing].map(({ id }) => findTask(db, id)!)
  expect(now.map(({ deletion, deletionFailed }) => [deletion, deletionFailed])).toEqual([
    ["remove", null],
    ["keep", null],
    [null, null],
    [null, null],
    [null, "a file is busy"],
  ])
})
