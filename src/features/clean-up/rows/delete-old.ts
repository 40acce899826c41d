/** Finds and deletes old rows: those of a task, and those of the whole fleet. */
import type { TaskId } from "../../../base/ids.ts"
import { noteForgotten } from "../../../kernel/store/deleted-records.ts"
import type { Db } from "../../../kernel/store/open.ts"
import { sql, transaction } from "../../../kernel/store/sql.ts"
import { KEPT_EVENT, REMOVED_EVENT } from "../../../kernel/tasks/rows/list-due.ts"
import { removeUnownedSessions } from "../../../kernel/tasks/rows/sessions/record.ts"

export type OldTask = {
  readonly task: TaskId
  /** Older rows than this go, in ms since 1970. */
  readonly before: number
  readonly sessions: boolean
}

/** A few milliseconds of SQLite's time. */
const ROWS_MAX = 200

/** Checks the task again, which may have been resumed since it was found. */
const IS_OLD = `exists (select 1 from tasks
  where id = :task and state in ('complete', 'cancelled') and updated_at < :before)`

const LOG = `
  delete from log_lines where ${IS_OLD} and seq in
    (select seq from log_lines where task = :task order by seq limit ${ROWS_MAX})
  returning seq`
/** Keeps the event that says that a cancelled task is cleaned up; without it, the clean-up would run again. */
const EVENTS = `
  delete from events where ${IS_OLD} and seq in
    (select seq from events
      where task = :task and type not in ('${KEPT_EVENT}', '${REMOVED_EVENT}')
      order by seq limit ${ROWS_MAX})
  returning seq`
const TURNS = `
  delete from turns where ${IS_OLD} and task = :task and n in
    (select n from turns where task = :task order by n limit ${ROWS_MAX})
  returning n as seq`
/** Also deletes their sessions, unless shared. Their turns are already gone. */
const JOBS = `
  delete from jobs where ${IS_OLD} and id in
    (select id from jobs where task = :task order by id limit ${ROWS_MAX})
  returning id as seq`

/**
 * Deletes some of the records of a finished task, few enough that other writers do not wait.
 *
 * @returns the number of deleted rows; 0 if none is left.
 */
export function deleteOfTask(db: Db, { task, before, sessions }: OldTask, nowMs: number): number {
  return transaction(db, () => {
    const of = { task, before }
    const seqs = (text: string) =>
      sql(db, text)
        .list(of)
        .map(({ seq }) => Number(seq))
    const log = seqs(LOG)
    const events = log.length > 0 ? [] : seqs(EVENTS)
    const forgotten = { task, eventsTo: Math.max(0, ...events), logTo: Math.max(0, ...log) }
    if (log.length + events.length > 0) noteForgotten(db, forgotten, nowMs)
    if (log.length + events.length > 0 || !sessions) return log.length + events.length
    const turns = seqs(TURNS).length
    if (turns > 0) return turns
    const jobs = seqs(JOBS).length
    if (jobs > 0) removeUnownedSessions(db)
    return jobs
  })
}

/** A few milliseconds of SQLite's time. */
const DELETE_OF_FLEET = 200

const PAGE = `
  select seq, at < :before and (task is null
    or not exists (select 1 from tasks where id = page.task)) as isOld, at < :before as isBefore
  from (select seq, at, task from events
    where seq > :after order by seq limit ${DELETE_OF_FLEET}) page
  order by seq`
const DELETE = "delete from events where seq = :seq"

export type EventsDeleted = {
  readonly deleted: number
  /** Start of the next page; undefined after the last. */
  readonly last: number | undefined
}

/** Deletes old gate results, and old events without a task or of deleted tasks, a page at a time. */
export function deleteEvents(
  db: Db,
  { after, before }: { readonly after: number; readonly before: number },
  nowMs: number,
): EventsDeleted {
  return transaction(db, () => {
    const page = sql(db, PAGE).list({ after, before })
    const old = page.filter(({ isOld }) => isOld === 1).map(({ seq }) => Number(seq))
    for (const seq of old) sql(db, DELETE).run({ seq })
    const eventsTo = old.at(-1)
    if (eventsTo !== undefined) noteForgotten(db, { task: 0, eventsTo, logTo: 0 }, nowMs)
    const end = page.at(-1)
    return { deleted: old.length, last: end?.["isBefore"] === 1 ? Number(end["seq"]) : undefined }
  })
}

const RESULTS = `
  delete from gate_results where rowid in
    (select rowid from gate_results where at < :before order by at limit ${DELETE_OF_FLEET})`

/** @returns the number deleted; 0 if none is left. */
export function deleteGateResults(db: Db, before: number): number {
  return sql(db, RESULTS).run({ before })
}

export type TaskScan = {
  /** Only tasks with a greater id; 0 for all. */
  readonly after: number
  /** Ms since the epoch: tasks that changed later keep everything. */
  readonly before: number
  /** Whether jobs, and with them sessions and turns, go too. */
  readonly sessions: boolean
}

type ScannedTasks = {
  readonly found: readonly TaskId[]
  /** Start of the next page; undefined after the last. */
  readonly last: number | undefined
}

/** About a millisecond of SQLite's time. */
const PAGE_MAX = 500

/** Clean-up finds a cancelled task by its jobs, so the task keeps them until then. */
const SCAN = `
  select id,
    state in ('complete', 'cancelled') and updated_at < :before
    and (exists (select 1 from log_lines where task = page.id)
      or exists (select 1 from events
        where task = page.id and type not in ('${KEPT_EVENT}', '${REMOVED_EVENT}'))
      or (:sessions and exists (select 1 from jobs where task = page.id)))
    and (state = 'complete' or exists (select 1 from events
      where task = page.id and type in ('${KEPT_EVENT}', '${REMOVED_EVENT}'))
      or not exists (select 1 from jobs where task = page.id)) as isOld
  from (select id, state, updated_at from tasks
    where id > :after order by id limit ${PAGE_MAX}) page
  order by id`

/** Finds tasks with more records than must be kept, a page at a time. */
export function scanTasks(db: Db, { after, before, sessions }: TaskScan): ScannedTasks {
  const rows = sql(db, SCAN).list({ after, before, sessions: sessions ? 1 : 0 })
  const old = rows.filter(({ isOld }) => isOld === 1)
  const last = rows.at(-1)?.["id"] as number | undefined
  return { found: old.map(({ id }) => id as TaskId), last }
}
