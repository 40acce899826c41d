/** Deletes old gate results, and old events without a task or of deleted tasks, a page at a time. */
import type { Db } from "../open.ts"
import { sql, transaction } from "../sql.ts"
import { noteForgotten } from "./note-forgotten.ts"

/** A few milliseconds of SQLite's time. */
const ROWS_MAX = 200

const PAGE = `
  select seq, at < :before and (task is null
    or not exists (select 1 from tasks where id = page.task)) as isOld, at < :before as isBefore
  from (select seq, at, task from events
    where seq > :after order by seq limit ${ROWS_MAX}) page
  order by seq`
const DELETE = "delete from events where seq = :seq"

export type EventsDeleted = {
  readonly deleted: number
  /** Start of the next page; undefined after the last. */
  readonly last: number | undefined
}

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
    (select rowid from gate_results where at < :before order by at limit ${ROWS_MAX})`

/** @returns the number deleted; 0 if none is left. */
export function deleteGateResults(db: Db, before: number): number {
  return sql(db, RESULTS).run({ before })
}
