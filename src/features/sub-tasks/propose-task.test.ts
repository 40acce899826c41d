import { expect, test } from "vitest"
import { addSampleSession, addSampleTask, forceState } from "../../../test/support/store.ts"
import type { Fleet } from "../../api/fleet.ts"
import { defaultConfig } from "../../config/parse.ts"
import { openDb } from "../../kernel/store/open.ts"
import { findTask } from "../../kernel/tasks/rows/find.ts"
import { openTurn } from "../../kernel/tasks/rows/turns/open.ts"
import { proposeTask } from "./propose-task.ts"
import { awaitsSubTasks } from "./rows.ts"

test.each([
  { strategy: "static", waits: false },
  { strategy: "git_worktree", waits: true },
] as const)("a parent with strategy $strategy waits for its proposal: $waits", async (it) => {
  const db = openDb(":memory:")
  const { id } = addSampleTask(db, { strategy: it.strategy })
  const session = addSampleSession(db, id)
  forceState(db, id, "working")
  openTurn(db, { task: id, session, prompt: "p" }, 1)
  const world = { nowMs: () => 5, dice: () => 0, point: () => {} }
  const config = () => defaultConfig("app")
  const fleet = { db, world, config, findAgent: () => undefined } as Partial<Fleet> as Fleet
  const input = { title: "t", prompt: "p", after: [], report: true }
  const readTask = () => findTask(db, id)!
  const untilGone = () => new AbortController().signal
  const answer = await proposeTask({ fleet, id, readTask, input, untilGone })
  expect(answer.proposal).toBe("proposal:1")
  expect(awaitsSubTasks(db, id)).toBe(it.waits)
})
