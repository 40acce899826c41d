import { expect, test } from "vitest"
import { addSampleTask, forceState } from "../../test/support/store.ts"
import { assert } from "../core/assert.ts"
import type { SessionId } from "../core/ids.ts"
import { planPrompt } from "../core/prompts/plan.ts"
import { openDb } from "../store/open.ts"
import { findTask } from "../store/tasks/find.ts"
import { findOpenTurn } from "../store/turns/find-open.ts"
import { handOver } from "./hand-over.ts"

test("a conversation that takes over in the middle of planning is told to plan, and no more", () => {
  const world = { nowMs: () => 1, dice: () => 0, point: () => {} }
  const prompts = (["planning", "working"] as const).map((state) => {
    const db = openDb(":memory:")
    const { id } = addSampleTask(db)
    forceState(db, id, state)
    const task = findTask(db, id)
    assert(task, "the task is there")
    handOver({ db, world }, task, { session: "5e55" as SessionId, document: "Half is read." })
    return findOpenTurn(db, id)?.prompt ?? ""
  })
  const [planning, working] = prompts
  expect(planning).toContain(planPrompt("Say hello.\n"))
  expect(planning).toContain("Half is read.")
  expect(working).not.toContain("write a plan")
})
