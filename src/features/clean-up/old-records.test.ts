import { expect, test } from "vitest"
import { addSampleLanding, addSampleTask, forceState } from "../../../test/support/store.ts"
import type { Oid, SessionId } from "../../base/ids.ts"
import { parseConfig } from "../../config/parse.ts"
import { findGateResult, recordGateResult } from "../../kernel/landing/rows/gate-results.ts"
import { findForgottenEvents, findForgottenLog } from "../../kernel/store/deleted-records.ts"
import { appendEvent, listEvents } from "../../kernel/store/events.ts"
import { appendLog } from "../../kernel/store/log/append.ts"
import { listLog } from "../../kernel/store/log/list.ts"
import { openDb } from "../../kernel/store/open.ts"
import { findTask } from "../../kernel/tasks/rows/find.ts"
import { listJobs } from "../../kernel/tasks/rows/jobs/find.ts"
import { startJob } from "../../kernel/tasks/rows/jobs/record.ts"
import { listDueTasks } from "../../kernel/tasks/rows/list-due.ts"
import { addSession } from "../../kernel/tasks/rows/sessions/record.ts"
import { countOldTasks, forgetOldRecords } from "./old-records.ts"

const DAY_MS = 24 * 3_600_000

function withRecords(maintenance: object = {}) {
  const db = openDb(":memory:")
  const parsed = parseConfig(JSON.stringify({ version: 1, maintenance }), {}, "app")
  if (parsed.kind !== "ok") throw new Error("the configuration is valid")
  const now = { ms: 2000 }
  const world = { nowMs: () => now.ms, dice: () => 0, point: () => {} }
  const context = { db, world, config: () => parsed.config }
  const add = (state: "complete" | "cancelled" | "working", lines = 1) => {
    const { id } = addSampleTask(db)
    addSession(db, { id: `s${id}` as SessionId, job: startJob(db, id, 1000).id }, 1000)
    for (let n = 0; n < lines; n++)
      appendLog(db, { task: id, turn: 1, kind: "text", text: `line ${n}` }, 1000)
    forceState(db, id, state)
    return id
  }
  const forget = () => forgetOldRecords(context, new AbortController().signal)
  return { db, now, context, add, forget }
}

test("records of a task that ended long ago are deleted except the task; others stay whole", async () => {
  const { db, now, context, add, forget } = withRecords()
  const [over, working] = [add("complete", 450), add("working")]
  const key = { tree: "t" as Oid, command: "c", environment: "e" }
  recordGateResult(db, { ...key, exitCode: 0, output: "", durationMs: 1, wrote: null }, 1000)
  expect(await forget()).toBe(0)
  now.ms += 91 * DAY_MS
  expect(await countOldTasks(context)).toBe(1)
  expect(await forget()).toBeGreaterThan(450)
  expect(findTask(db, over)).toMatchObject({ id: over, state: "complete" })
  expect([listLog(db, { task: over, after: 0, limit: 9 }), listJobs(db, over)]).toEqual([[], []])
  expect(listEvents(db, { task: over, after: 0, limit: 9 })).toEqual([])
  expect(listLog(db, { task: working, after: 0, limit: 9 })).toHaveLength(1)
  expect(listJobs(db, working)).toHaveLength(1)
  expect(findGateResult(db, key)).toBeUndefined()
  expect(await countOldTasks(context)).toBe(0)
  expect(await forget()).toBe(0)
})

test("followers learn of the gap, and numbers go on [33.7]", async () => {
  const { db, now, add, forget } = withRecords()
  const over = add("complete")
  const last = appendEvent(db, { type: "task.told", task: over, data: {} }, 1000).seq
  now.ms += 91 * DAY_MS
  await forget()
  expect(findForgottenEvents(db, { after: 0, task: undefined })?.to).toBe(last)
  expect(findForgottenEvents(db, { after: 0, task: over })?.to).toBe(last)
  expect(findForgottenEvents(db, { after: last, task: undefined })).toBeUndefined()
  expect(findForgottenLog(db, { after: 0, task: over })).toBeDefined()
  expect(appendEvent(db, { type: "task.told", task: null, data: {} }, 1000).seq).toBe(last + 1)
})

test("a cancelled task that is not cleaned up yet keeps its records; session_cleanup keeps sessions", async () => {
  const { db, now, add, forget } = withRecords({ session_cleanup: { enabled: false } })
  const [due, done] = [add("cancelled"), add("cancelled")]
  const kept = appendEvent(db, { type: "workspace.removed", task: done, data: {} }, 1000)
  addSampleLanding(db)
  now.ms += 91 * DAY_MS
  await forget()
  expect(listDueTasks(db, 0).filter((one) => one.due === "clean")).toEqual([
    { id: due, due: "clean" },
  ])
  expect(listEvents(db, { task: done, after: 0, limit: 9 })).toEqual([kept])
  expect(listJobs(db, done)).toHaveLength(1)
  expect(listLog(db, { task: due, after: 0, limit: 9 })).toHaveLength(1)
})

test("rows of a session are found by index: no statement scans a whole table", () => {
  const { db } = withRecords()
  const plan = (statement: string) =>
    db.prepare(`explain query plan ${statement}`).all() as { detail: string }[]
  const plans = ["turns", "job_sessions"].map((table) =>
    plan(`delete from ${table} where session = 's'`),
  )
  for (const lines of plans)
    expect(lines.map(({ detail }) => detail).join()).toMatch(/^SEARCH .* USING .*INDEX/)
})
