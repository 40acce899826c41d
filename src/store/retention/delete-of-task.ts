/** Deletes some of the records of a finished task: never so many at once that others wait. */
import type { TaskId } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { removeUnownedSessions } from "../sessions/remove-unowned.ts"
import { sql, transaction } from "../sql.ts"
import { KEPT_EVENT, REMOVED_EVENT } from "../tasks/list-due.ts"
import { noteForgotten } from "./note-forgotten.ts"

export type OldTask = {
  readonly task: TaskId
  /** As in scan-tasks.ts. */
  readonly before: number
  readonly sessions: boolean
}

/** A few milliseconds of SQLite's time. */
const ROWS_MAX = 200

/** It may have been resumed since it was found. */
const IS_OLD = `exists (select 1 from tasks
  where id = :task and state in ('complete', 'cancelled') and updated_at < :before)`

const LOG = `
  delete from log_lines where ${IS_OLD} and seq in
    (select seq from log_lines where task = :task order by seq limit ${ROWS_MAX})
  returning seq`
/** Keeps the event that says that a cancelled task is cleaned up; else it would be cleaned up again. */
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
/** Their sessions go too, unless shared; turns have gone before. */
const JOBS = `
  delete from jobs where ${IS_OLD} and id in
    (select id from jobs where task = :task order by id limit ${ROWS_MAX})
  returning id as seq`

/** @returns the number of deleted rows; 0 if none is left. */
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
