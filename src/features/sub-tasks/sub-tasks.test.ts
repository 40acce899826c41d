import { setImmediate } from "node:timers/promises"
import { expect, test } from "vitest"
import { TestRepo } from "../../../test/support/repo.ts"
import { addSampleSession, addSampleTask, forceState } from "../../../test/support/store.ts"
import { openDb } from "../../kernel/store/open.ts"
import { sql } from "../../kernel/store/sql.ts"
import { awaitsSubTasks } from "./rows.ts"
import { followSubTasks } from "./sub-tasks.ts"

const SET_FAILED = "update tasks set reason_code = 'failed', reason_text = 'x' where id = :id"

test("the end of a sub-task that stays stopped is reported [45.1]", async () => {
  const db = openDb(":memory:")
  const parent = addSampleTask(db)
  addSampleSession(db, parent.id)
  forceState(db, parent.id, "working")
  const { id } = addSampleTask(db, { parent: parent.id, reports: true })
  forceState(db, id, "stuck", "working")
  sql(db, SET_FAILED).run({ id })
  const errors: unknown[] = []
  const world = { nowMs: () => 5, dice: () => 0, point: () => {} }
  const loop = followSubTasks({ db, world }, (_, error) => errors.push(error))
  loop.start()
  await expect.poll(() => awaitsSubTasks(db, parent.id)).toBe(false)
  await loop.stop()
  expect(errors).toEqual([])
})

const RESTART = "update tasks set state = 'working', stuck_in = null, updated_at = 9 where id = :id"

test("an end that a person undid while its changes were read is not reported [45.1]", async () => {
  using repo = new TestRepo()
  const db = openDb(":memory:")
  const parent = addSampleTask(db)
  const repos = [{ name: "app", path: repo.path, target: "main" }]
  const { id } = addSampleTask(db, { parent: parent.id, reports: true, repos })
  sql(db, "update task_repos set branch = 'main', base = :base").run({ base: repo.tip("main") })
  forceState(db, id, "stuck", "working")
  const world = { nowMs: () => 5, dice: () => 0, point: () => {} }
  const loop = followSubTasks({ db, world }, () => {})
  loop.start()
  await setImmediate()
  sql(db, RESTART).run({ id })
  await loop.stop()
  expect(awaitsSubTasks(db, parent.id)).toBe(true)
})
