import assert from "node:assert"
import { expect, test } from "vitest"
import { addSampleSession, addSampleTask, forceState } from "../../../test/support/store.ts"
import { AppError } from "../../base/errors.ts"
import type { SessionId } from "../../base/ids.ts"
import { listEvents } from "../store/events.ts"
import { openDb } from "../store/open.ts"
import { recordStuck } from "./record-stuck.ts"
import { setAttached } from "./rows/attached.ts"
import { findTask } from "./rows/find.ts"
import { recordRestart } from "./rows/restarts.ts"
import { findOpenTurn } from "./rows/turns/find.ts"
import { openTurn } from "./rows/turns/open.ts"
import type { Reason } from "./rules.ts"

class GoneError extends AppError {
  constructor(message: string) {
    super("task.refused", "user", message)
  }
}

const FAILED: Reason = { code: "failed", text: "it broke" }

/** A working task, after its agent has failed. */
function failing({ gone = false, wanted = true, full = false } = {}) {
  const db = openDb(":memory:")
  const { id } = addSampleTask(db)
  const session = addSampleSession(db, id)
  forceState(db, id, "working")
  const turn = openTurn(db, { task: id, session, prompt: "go" }, 1)
  let fresh = 0
  const context = {
    db,
    world: { nowMs: () => 5, dice: () => 0, point: () => {} },
    findAgent: () => ({ restartOnFailure: wanted }) as never,
    mintSessionId: () => `fresh-${++fresh}` as SessionId,
    changedFiles: async () => {
      if (full) throw Object.assign(new Error("disk full"), { code: "ENOSPC" })
      if (gone) throw new GoneError("The worktree is gone.")
      return { files: ["M a.txt"], inAll: 1 }
    },
    onBug: (error: unknown) => assert.fail(String(error)),
  }
  const fail = (reason = FAILED) => recordStuck(context, findOpenTurn(db, id) ?? turn, reason)
  const types = () => listEvents(db, { after: 0, task: id, limit: 50 }).map(({ type }) => type)
  return { db, id, fail, types, task: () => findTask(db, id) }
}

test("a failed task is restarted once, in the step that stops it [45.6, 45.9]", async () => {
  const { db, id, fail, types, task } = failing()
  await fail()
  expect(task()).toMatchObject({ state: "working", reason: null })
  expect(findOpenTurn(db, id)).toMatchObject({ session: "fresh-1" })
  expect(findOpenTurn(db, id)?.prompt).toMatch(
    /Why it stopped\.[^\n]*\n\n```\nit broke\n```[^]*M a\.txt/,
  )
  const restarted = ["task.got_stuck", "task.restarted", "job.started", "turn.opened"]
  expect(types().slice(-4)).toEqual(restarted)
  await fail()
  expect(task()).toMatchObject({ state: "stuck", reason: FAILED })
})

test("a task whose restart a person did may be restarted once more [45.6]", async () => {
  const { db, id, fail, task } = failing()
  await fail()
  recordRestart(db, id, "person")
  await fail()
  expect(task()?.state).toBe("working")
})

test.each<[string, Parameters<typeof failing>[0], Reason]>([
  ["without the setting", { wanted: false }, FAILED],
  ["whose worktree is gone", { gone: true }, FAILED],
  ["that needs a decision", {}, { code: "needs_decision", text: "?" }],
  ["whose budget is used up", {}, { code: "budget", text: "0" }],
])("a task %s stays stopped [45.6]", async (_, settings, reason) => {
  const { fail, task, types } = failing(settings)
  await fail(reason)
  expect(task()).toMatchObject({ state: "stuck", reason })
  expect(types().at(-1)).toBe("task.got_stuck")
})

test("a task that a person has attached to stays stopped [45.6]", async () => {
  const { db, id, fail, task } = failing()
  setAttached(db, id, { pid: 1, identity: null, file: "/gone", mark: "m", pauses: false })
  await fail()
  expect(task()?.state).toBe("stuck")
})

test("a full disk costs a task neither its open turn nor its restart [45.6]", async () => {
  const { db, id, fail, task } = failing({ full: true })
  await expect(fail()).rejects.toMatchObject({ code: "ENOSPC" })
  expect(task()?.state).toBe("working")
  expect(findOpenTurn(db, id)).toBeDefined()
})
