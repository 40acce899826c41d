/** How far the export of traces has followed the events, and the event that a running gate belongs to. */
import type { LandingId, TaskId } from "../../base/ids.ts"
import type { LandingState } from "../../kernel/landing/rules.ts"
import type { Db } from "../../kernel/store/open.ts"
import { sql } from "../../kernel/store/sql.ts"

const START = `
  insert into trace_cursor (one, seq) values (1, (select coalesce(max(seq), 0) from events))
  on conflict do nothing`
const RECORD = "update trace_cursor set seq = :seq where one = 1"

/** @returns the last event that is done with; at first, the latest one: what was before is not exported. */
export function startTraceCursor(db: Db): number {
  sql(db, START).run()
  return sql(db, "select seq from trace_cursor").read()["seq"] as number
}

export const recordTraceCursor = (db: Db, seq: number): void => void sql(db, RECORD).run({ seq })

/** Traces are off: what happens now is never exported. */
export const forgetTraceCursor = (db: Db): void => void sql(db, "delete from trace_cursor").run()

const ENTERED = `
  select seq from events
  where task = :task and type glob 'landing.*'
    and data ->> 'landing' = :landing and data ->> 'to' = :state
  order by seq desc limit 1`

/** @returns the event with which the landing entered the state that it is in. */
export function findStateEntry(
  db: Db,
  landing: { readonly id: LandingId; readonly task: TaskId; readonly state: LandingState },
): number | undefined {
  const { id, task, state } = landing
  return sql(db, ENTERED).find({ landing: id, task, state })?.["seq"] as number | undefined
}
