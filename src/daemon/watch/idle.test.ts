import { expect, test } from "vitest"
import { addSampleTask, forceState } from "../../../test/support/store.ts"
import { appendEvent } from "../../kernel/store/events.ts"
import { openDb } from "../../kernel/store/open.ts"
import { addProcess } from "../../kernel/store/processes.ts"
import { requestDeletion } from "../../kernel/tasks/rows/deletion.ts"
import { startJob } from "../../kernel/tasks/rows/jobs/record.ts"
import { REMOVED_EVENT } from "../../kernel/tasks/rows/list-due.ts"
import type { TaskState } from "../../kernel/tasks/rules.ts"
import { isIdle } from "./idle.ts"

const HAND = "by hand"
const STATES: readonly (readonly [TaskState, string | null, boolean])[] = [
  ["working", HAND, true],
  ["working", "coder", false],
  ["merging", HAND, false],
  ["complete", "coder", true],
  ["stuck", "coder", true],
  ["reviews_in_progress", "coder", false],
  ["pr_ready", "coder", false],
]

test.each(STATES)("a task that is %s, its agent %s: idle is %s [30.3]", (state, agent, idle) => {
  const db = openDb(":memory:")
  forceState(db, addSampleTask(db, { agent: agent === HAND ? null : agent }).id, state)
  expect(isIdle(db)).toBe(idle)
})

test("while a task is being deleted, the daemon is not idle [30.3]", () => {
  const db = openDb(":memory:")
  const task = addSampleTask(db, {})
  forceState(db, task.id, "complete")
  requestDeletion(db, task, "remove", 1)
  expect(isIdle(db)).toBe(false)
})

test("while a cancelled task has to be cleaned up, the daemon is not idle [30.3]", () => {
  const db = openDb(":memory:")
  const { id: task } = addSampleTask(db, {})
  startJob(db, task, 1)
  forceState(db, task, "cancelled")
  expect(isIdle(db)).toBe(false)
  appendEvent(db, { type: REMOVED_EVENT, task, data: {} }, 2)
  expect(isIdle(db)).toBe(true)
})

test("while a set-up runs in a worktree that a person drives, the daemon is not idle [30.3]", () => {
  const db = openDb(":memory:")
  const { id: task } = addSampleTask(db, { agent: null })
  forceState(db, task, "working")
  const row = {
    pid: 1,
    identity: "x",
    mark: "m",
    cgroup: null,
    task,
    purpose: "setup",
    session: null,
  } as const
  addProcess(db, row)
  expect(isIdle(db)).toBe(false)
})
