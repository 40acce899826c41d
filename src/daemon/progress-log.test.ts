import { expect, test } from "vitest"
import { addSampleTask, forceState } from "../../test/support/store.ts"
import type { SessionId } from "../core/ids.ts"
import { NO_USAGE } from "../core/usage.ts"
import { startJob } from "../store/jobs/start.ts"
import { openDb } from "../store/open.ts"
import { addSession } from "../store/sessions/add.ts"
import { findTask } from "../store/tasks/find.ts"
import { endTurn } from "../store/turns/end.ts"
import { openTurn } from "../store/turns/open.ts"
import { ProgressLog } from "./progress-log.ts"

test("an agent's last words stay its last, although it said what it does a moment before", () => {
  const db = openDb(":memory:")
  const { id: task } = addSampleTask(db)
  forceState(db, task, "working")
  const session = "5e55" as SessionId
  addSession(db, { id: session, job: startJob(db, task, 1).id }, 1)
  const turn = openTurn(db, { task, session, prompt: "go" }, 1)
  const world = { nowMs: () => 2, dice: () => 0, point: () => {} }
  const working = new ProgressLog(db, world)
  working.note(task, "reads")
  working.end()
  expect(findTask(db, task)?.lastMessage).toBe("reads")

  const ending = new ProgressLog(db, world)
  ending.note(task, "tests")
  endTurn(db, turn, { usage: NO_USAGE, message: "It is done." }, 2)
  ending.end()
  expect(findTask(db, task)?.lastMessage).toBe("It is done.")
})
