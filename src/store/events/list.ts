/** Lists events after a cursor, oldest first. */
import type { TaskId } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"
import { decodeEvent, type StoredEvent } from "./row.ts"

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
