/** Lists the landings that the landing loop has something to do for. */
import { assert } from "../../../base/assert.ts"
import type { LandingId, TaskId } from "../../../base/ids.ts"
import { isOver } from "../../store/due-condition.ts"
import type { Db } from "../../store/open.ts"
import { readEach } from "../../store/read-each.ts"
import { sql } from "../../store/sql.ts"
import { RUNNABLE_STATES } from "../rules.ts"
import { findLanding } from "./find.ts"
import { isNext } from "./queue.ts"
import type { Landing } from "./row.ts"

const AT_ONCE = RUNNABLE_STATES.filter((state) => state !== "proposed")
const RUNNABLE = AT_ONCE.map((state) => `'${state}'`).join(", ")

const LIST_RUNNABLE = `
  select id from landings
  where state in (${RUNNABLE}) and (state <> 'queued' or ${isNext("landings")})
  order by queued_at, id`
/** A task that stopped with its pull request goes on if a person opens that again. */
const STOPPED_WITH_PULL =
  "state = 'failed' and task in (select id from tasks where state = 'stuck' and reason_code = 'pull_request')"
const LOOKS = `(state in ('waiting', 'proposed') or ${STOPPED_WITH_PULL})`
const LIST_DUE = `
  select id from landings
  where ${LOOKS} and wake_at is not null and ${isOver("wake_at", "wake_from")}
  order by queued_at, id`
const WAKES = `
  select id, wake_at as wakeMs from landings
  where ${LOOKS} and wake_at is not null order by wake_at`

/** Landings in a state with an action, oldest first; from a queue only those whose turn it is. Skips one
 * that cannot be read: the others land. */
export function listRunnable(db: Db): Landing[] {
  return readEach(sql(db, LIST_RUNNABLE).list(), ({ id }) => read(db, id as LandingId))
}

/** Landings that only look from time to time, whose time for the next check has come. */
export function listDue(db: Db, nowMs: number): Landing[] {
  return readEach(sql(db, LIST_DUE).list({ nowMs }), ({ id }) => read(db, id as LandingId))
}

/**
 * When the next check of such a landing is due; undefined without one.
 *
 * @param busy landings that are being checked now, and need no timer.
 */
export function nextWakeMs(db: Db, busy: ReadonlySet<LandingId> = new Set()): number | undefined {
  const next = sql(db, WAKES)
    .list()
    .find(({ id }) => !busy.has(id as LandingId))
  return next?.["wakeMs"] as number | undefined
}

function read(db: Db, id: LandingId): Landing {
  const landing = findLanding(db, id)
  assert(landing, "a landing that was selected is there")
  return landing
}

const HALF_MOVED = `
  select landings.task from landing_repos join landings on landings.id = landing_repos.landing
  where intent is not null or landings.state = 'publishing'
  limit 1`

/** A task whose landing was cut off while it moved a branch. */
export function findHalfMoved(db: Db): TaskId | undefined {
  return sql(db, HALF_MOVED).find()?.["task"] as TaskId | undefined
}
