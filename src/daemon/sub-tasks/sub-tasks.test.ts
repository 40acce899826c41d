import { expect, test } from "vitest"
import { addSampleSession, addSampleTask, forceState } from "../../../test/support/store.ts"
import { openDb } from "../../store/open.ts"
import { awaitsSubTasks } from "../../store/reports.ts"
import { sql } from "../../store/sql.ts"
import { listRestartable } from "../../store/tasks/restarts.ts"
import { followSubTasks } from "./sub-tasks.ts"

const SET_FAILED = "update tasks set reason_code = 'failed', reason_text = 'x' where id = :id"
const SET_WORKTREE = "update task_repos set worktree = '/nowhere/worktree' where task = :id"

test("the end of a sub-task that cannot be restarted is reported [45.6]", async () => {
  const db = openDb(":memory:")
  const parent = addSampleTask(db)
  addSampleSession(db, parent.id)
  forceState(db, parent.id, "working")
  const { id } = addSampleTask(db, { parent: parent.id, reports: true })
  forceState(db, id, "stuck", "working")
  for (const text of [SET_FAILED, SET_WORKTREE]) sql(db, text).run({ id })
  const errors: unknown[] = []
  const world = { nowMs: () => 5, dice: () => 0, point: () => {} }
  const findAgent = () => ({ restartOnFailure: true }) as never
  const loop = followSubTasks({ db, world, findAgent }, (_, error) => errors.push(error))
  loop.start()
  await expect.poll(() => awaitsSubTasks(db, parent.id), { timeout: 10_000 }).toBe(false)
  await loop.stop()
  expect(errors).toMatchObject([{ code: "task.refused" }])
  expect(listRestartable(db)).toEqual([])
})
