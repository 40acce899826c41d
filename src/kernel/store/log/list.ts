/** Lists the log of a task. */
import { assert } from "../../../base/assert.ts"
import type { TaskId } from "../../../base/ids.ts"
import { LOG_KINDS, type LogLine } from "../appended-rows.ts"
import type { Db } from "../open.ts"
import { type SqlRow, sql } from "../sql.ts"

export function decodeLogLine(row: SqlRow): LogLine {
  assert(
    (LOG_KINDS as readonly unknown[]).includes(row["kind"]),
    "a stored log line has a known kind",
  )
  return row as LogLine
}

export type LogQuery = {
  readonly task: TaskId
  /** Only lines with a greater `seq`; 0 for all. */
  readonly after: number
  readonly limit: number
}

const LIST = `
  select seq, at as atMs, task, turn, kind, text, call from log_lines
  where task = :task and seq > :after order by seq limit :limit`

export function listLog(db: Db, query: LogQuery): LogLine[] {
  return sql(db, LIST).list(query).map(decodeLogLine)
}

const BEFORE_LAST = `
  select coalesce(min(seq), 1) - 1 as seq from
    (select seq from log_lines where task = :task and (:before is null or seq < :before)
      order by seq desc limit :last)`

type Last = {
  readonly task: TaskId
  readonly last: number
  /** Only lines with a smaller `seq`. */
  readonly before?: number | undefined
}

/** The cursor before the last lines of a task. */
export function findLogCursor(db: Db, { task, last, before }: Last): number {
  return sql(db, BEFORE_LAST).read({ task, last, before: before ?? null })["seq"] as number
}
