import { expect, test } from "vitest"
import { addSampleLanding, addSampleTask, forceState } from "../../../test/support/store.ts"
import type { TaskId } from "../../base/ids.ts"
import { findLanding } from "../landing/rows/find.ts"
import { recordLanding } from "../landing/rows/record.ts"
import { findDeletionFailure, recordDeletionFailed } from "../tasks/rows/deletion.ts"
import { findTask } from "../tasks/rows/find.ts"
import { recordTask } from "../tasks/rows/record.ts"
import { listLog } from "./log/list.ts"
import { type Db, openDb } from "./open.ts"

const LONG = `it begins ${"x".repeat(80_000)} it ends`
const SHORT = /^it begins x+\n… \d+ characters, which `coppice logs \d` shows …\nx+ it ends$/

const logged = (db: Db, task: TaskId) =>
  listLog(db, { task, after: 0, limit: 99 })
    .map(({ text }) => text)
    .join("")

test("a long reason keeps its end, wherever it is recorded; the log has all of it [12.2]", () => {
  const db = openDb(":memory:")
  const task = addSampleTask(db)
  forceState(db, task.id, "working")
  const reason = { code: "failed", text: LONG } as const
  recordTask(db, { id: task.id, state: "working" }, { event: "gotStuck", reason }, 1)
  expect(findTask(db, task.id)?.reason?.text).toMatch(SHORT)
  expect(logged(db, task.id)).toBe(LONG)

  const undeleted = addSampleTask(db)
  recordDeletionFailed(db, undeleted, LONG, 1)
  expect(findDeletionFailure(db, undeleted)).toMatch(SHORT)

  const landing = addSampleLanding(db)
  recordLanding(db, landing, { event: "failed", outcome: "WORKTREE_ERROR", reason: LONG }, 1)
  expect(findLanding(db, landing.id)?.reason).toMatch(SHORT)
  expect(logged(db, landing.task)).toBe(LONG)
})
