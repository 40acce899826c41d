/** Events: what happened, appended once, numbered. */

import type { EventType } from "../../api/wire/event-types.ts"
import type { TaskId } from "../../base/ids.ts"
import type { EventData, StoredEvent } from "./appended-rows.ts"
import type { Db } from "./open.ts"
import { noteAppended, type SqlRow, sql, transaction } from "./sql.ts"

function decodeEvent({ data, ...rest }: SqlRow): StoredEvent {
  return { ...rest, data: parse(data as string) } as StoredEvent
}

/** A damaged event does not hide later ones from followers. */
function parse(data: string): EventData {
  try {
    return JSON.parse(data)
  } catch {
    return { unreadable: data }
  }
}

export type NewEvent = {
  readonly type: EventType
  readonly task: TaskId | null
  readonly data: EventData
}

const APPEND = `
  insert into events (at, type, task, data) values (:nowMs, :type, :task, :data)
  returning seq, at as atMs, type, task, data`

/** Appends an event, in the transaction of the change that it describes. */
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

export type EventQuery = {
  /** Only events with a greater `seq`; 0 for all. */
  readonly after: number
  readonly task?: TaskId | undefined
  readonly limit: number
}

const COLUMNS = "seq, at as atMs, type, task, data"
const OF_ALL = `select ${COLUMNS} from events where seq > :after order by seq limit :limit`
const OF_TASK = `
  select ${COLUMNS} from events where task = :task and seq > :after order by seq limit :limit`

export function listEvents(db: Db, { after, task, limit }: EventQuery): StoredEvent[] {
  const rows =
    task === undefined
      ? sql(db, OF_ALL).list({ after, limit })
      : sql(db, OF_TASK).list({ task, after, limit })
  return rows.map(decodeEvent)
}

const OF_TYPES = `
  select ${COLUMNS} from events
  where seq > :after and exists (select 1 from json_each(:types) where events.type glob value)
  order by seq limit :limit`

const OF_TASK_AND_TYPES = OF_TYPES.replace("where", "where task = :task and")

/** The same for some types alone. @param types patterns, as of file names: `landing.*`. */
export function listEventsOf(
  db: Db,
  types: readonly string[],
  { after, limit, task }: EventQuery,
): StoredEvent[] {
  const asked = { types: JSON.stringify(types), after, limit }
  const rows =
    task === undefined
      ? sql(db, OF_TYPES).list(asked)
      : sql(db, OF_TASK_AND_TYPES).list({ ...asked, task })
  return rows.map(decodeEvent)
}

const LATEST = `
  select ${COLUMNS} from events where task = :task and type = :type order by seq desc limit :limit`

/** The latest events of a type, newest first. */
export const listLatestEvents = (
  db: Db,
  type: EventType,
  { task, limit }: { readonly task: TaskId; readonly limit: number },
): StoredEvent[] => sql(db, LATEST).list({ type, task, limit }).map(decodeEvent)

const BEFORE_LAST = `
  select coalesce(min(seq), 1) - 1 as seq from
    (select seq from events where :task is null or task = :task order by seq desc limit :last)`

/** The cursor before the last events of a task, or of all. */
export function findEventCursor(db: Db, task: TaskId | undefined, last: number): number {
  return sql(db, BEFORE_LAST).read({ task: task ?? null, last })["seq"] as number
}

/**
 * Names the event of a transition: `task` + `handedBack` is `task.handed_back`.
 *
 * The part after a colon (`restarted:working`) is in the event's data already, as `to`.
 */
export function eventType(subject: "task" | "landing", transition: string): EventType {
  const words = transition.split(":", 1).join("")
  const type = `${subject}.${words.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`
  return type as EventType // a test goes through both tables
}
