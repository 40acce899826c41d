import { expect, test } from "vitest"
import { addSampleTask, forceState } from "../../../test/support/store.ts"
import type { SessionId } from "../../base/ids.ts"
import { listEvents } from "../../kernel/store/events.ts"
import { listLog } from "../../kernel/store/log/list.ts"
import { openDb } from "../../kernel/store/open.ts"
import { findTask } from "../../kernel/tasks/rows/find.ts"
import { startJob } from "../../kernel/tasks/rows/jobs/record.ts"
import { addSession } from "../../kernel/tasks/rows/sessions/record.ts"
import { closeTurn } from "../../kernel/tasks/rows/turns/end.ts"
import { openTurn } from "../../kernel/tasks/rows/turns/open.ts"
import { NO_USAGE } from "../../kernel/tasks/rules/usage.ts"
import { ProgressLog } from "./progress-log.ts"

test("an agent's last message stays its last, even right after a progress report", async () => {
  const { db, task, turn, log } = atWork()
  const reads = log().note(task, "reads")
  expect(findTask(db, task)?.lastMessage).toBe(null)
  expect(await reads).toBe(true)
  expect(findTask(db, task)?.lastMessage).toBe("reads")

  const ending = log()
  const tests = ending.note(task, "tests")
  closeTurn(db, turn, { usage: NO_USAGE, message: "It is done." }, 2)
  ending.end()
  expect(await tests).toBe(false)
  expect(findTask(db, task)?.lastMessage).toBe("It is done.")
})

test("simultaneous progress reports are one event, and all get their answer when it is on disk [9.8]", async () => {
  const { db, task, log } = atWork()
  const progress = log()
  const said = ["reads", "writes"].map((text) => progress.note(task, text))
  expect(await Promise.all(said)).toEqual([true, true])
  const texts = () => listEvents(db, { after: 0, limit: 99 }).map(({ data }) => data["text"])
  expect(texts().filter(Boolean)).toEqual(["writes"])
  db.pragma("max_page_count = 1")
  await expect(progress.note(task, "x".repeat(100_000))).rejects.toMatchObject({
    code: "store.full",
  })
  db.pragma("max_page_count = 100000")
  expect(await progress.note(task, "goes on")).toBe(true)
})

test("an agent that reports without end fills no disk, and its last message is kept [9.8]", async () => {
  const { db, task, log } = atWork()
  const progress = log(2)
  for (const text of ["one", "two", "three", "four"])
    expect(await progress.note(task, text)).toBe(true)
  const told = listEvents(db, { after: 0, limit: 99 }).filter(
    ({ type }) => type === "task.progress",
  )
  expect(told.map(({ data }) => data["text"])).toEqual(["one", "two"])
  expect(listLog(db, { task, after: 0, limit: 99 })).toMatchObject([
    { turn: 1, kind: "text", text: "one" },
    { turn: 1, kind: "text", text: "two" },
    { turn: 1, kind: "notice" },
  ])
  expect(findTask(db, task)?.lastMessage).toBe("four")
})

function atWork() {
  const db = openDb(":memory:")
  const { id: task } = addSampleTask(db)
  forceState(db, task, "working")
  const session = "5e55" as SessionId
  addSession(db, { id: session, job: startJob(db, task, 1).id }, 1)
  const turn = openTurn(db, { task, session, prompt: "go" }, 1)
  const world = { nowMs: () => 2, dice: () => 0, point: () => {} }
  return { db, task, turn, log: (eventsMax?: number) => new ProgressLog(db, world, eventsMax) }
}
