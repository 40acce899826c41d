/** Waits under a clock that is set back. Longer waits than an hour are waits as well. */
import { expect, test } from "vitest"
import { addSampleLanding, addSampleTask } from "../../../test/support/store.ts"
import type { SessionId } from "../../base/ids.ts"
import { alignHooks, findHookCursor, postponeHook } from "../../features/hooks/rows.ts"
import { listDue } from "../landing/rows/list.ts"
import { postponeLanding } from "../landing/rows/record.ts"
import { startJob } from "../tasks/rows/jobs/record.ts"
import { listDueTasks } from "../tasks/rows/list-due.ts"
import { recordTask } from "../tasks/rows/record.ts"
import { addSession } from "../tasks/rows/sessions/record.ts"
import { openTurn } from "../tasks/rows/turns/open.ts"
import { postponeTurn } from "../tasks/rows/turns/postpone.ts"
import { type Db, openDb } from "./open.ts"
import { sql } from "./sql.ts"

const NOW = 1_000_000_000
const HOURS_2 = 2 * 3_600_000
const DAY = 86_400_000

/** Each waits from NOW for two hours. @returns whether the wait is over at a time. */
const waits: Record<string, (db: Db) => (nowMs: number) => boolean> = {
  "a proposed landing": (db) => {
    const landing = addSampleLanding(db)
    sql(db, "update landings set state = 'proposed'").run()
    postponeLanding(db, landing, { waitMs: HOURS_2, nowMs: NOW })
    return (nowMs) => listDue(db, nowMs).length === 1
  },
  "a turn": (db) => {
    const { id } = addSampleTask(db)
    const session = "5e55" as SessionId
    addSession(db, { id: session, job: startJob(db, id, NOW).id }, NOW)
    recordTask(db, { id, state: "registered" }, { event: "started" }, NOW)
    const { n } = openTurn(db, { task: id, session, prompt: "p" }, NOW)
    postponeTurn(db, { task: id, n }, { atMs: NOW + HOURS_2, text: "t", isFailure: true }, NOW)
    return (nowMs) => listDueTasks(db, nowMs).length === 1
  },
  "a hook": (db) => {
    alignHooks(db, ["h"])
    postponeHook(db, { hook: "h", seq: 1, text: "t", retryAtMs: NOW + HOURS_2 }, NOW)
    return (nowMs) => findHookCursor(db, "h", nowMs)?.retryAtMs === null
  },
}

test.each(Object.entries(waits))(
  "%s waits until its time, and no longer when the clock is set back [13.1]",
  (_, wait) => {
    const isOver = wait(openDb(":memory:"))
    expect([NOW, NOW + HOURS_2 - 1, NOW + HOURS_2].map(isOver)).toEqual([false, false, true])
    expect(isOver(NOW - DAY)).toBe(true)
  },
)
