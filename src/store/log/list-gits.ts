/** Lists the git commands of a task after a cursor, oldest first, as log lines. */
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"
import type { LogQuery } from "./list.ts"
import { decodeLogLine, type LogLine } from "./row.ts"

const LIST = `
  select seq, at as atMs, task, 0 as turn, 'git' as kind, text from git_lines
  where task = :task and seq > :after order by seq limit :limit`

export function listGits(db: Db, query: LogQuery): LogLine[] {
  return sql(db, LIST).list(query).map(decodeLogLine)
}
