/** Lists a task's log after a cursor, oldest first. */
import type { TaskId } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"
import { decodeLogLine, type LogLine } from "./row.ts"

export type LogQuery = {
  readonly task: TaskId
  /** Only lines with a greater `seq`; 0 for all. */
  readonly after: number
  readonly limit: number
}

const LIST = `
  select seq, at as atMs, task, turn, kind, text from log_lines
  where task = :task and seq > :after order by seq limit :limit`

export function listLog(db: Db, query: LogQuery): LogLine[] {
  return sql(db, LIST).list(query).map(decodeLogLine)
}
