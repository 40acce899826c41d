import { expect, test } from "vitest"
import { addSampleTask, forceState } from "../../../test/support/store.ts"
import { NO_USAGE } from "../../core/agents/usage.ts"
import type { SessionId } from "../../core/ids.ts"
import { listEvents } from "../../store/events.ts"
import { startJob } from "../../store/jobs/record.ts"
import { listLog } from "../../store/log/list.ts"
import { openDb } from "../../store/open.ts"
import { addSession } from "../../store/sessions/record.ts"
import { findTask } from "../../store/tasks/find.ts"
import { closeTurn } from "../../store/turns/end.ts"
import { openTurn } from "../../store/turns/open.ts"
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
