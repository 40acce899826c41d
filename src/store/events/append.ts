/** Appends an event, in the transaction of the change that it describes. */
import type { TaskId } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { noteAppended, sql, transaction } from "../sql.ts"
import { decodeEvent, type EventData, type StoredEvent } from "./row.ts"

export type NewEvent = {
  readonly type: string
  readonly task: TaskId | null
  readonly data: EventData
}

const APPEND = `
  insert into events (at, type, task, data) values (:nowMs, :type, :task, :data)
  returning seq, at as atMs, type, task, data`

export function appendEvent(db: Db, event: NewEvent, nowMs: number): StoredEvent {
  const append = () => {
    const row = sql(db, APPEND).read({ ...event, data: JSON.stringify(event.data), nowMs })
    const stored = decodeEvent(row)
    noteAppended(db, { event: stored })
    return stored
  }
  // One statement is atomic: inside another change it needs no savepoint.
  return db.inTransaction ? append() : transaction(db, append)
}
