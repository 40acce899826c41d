/** The latest git commands of a task, apart from its log. */
import type { TaskId } from "../../../base/ids.ts"
import type { LogLine } from "../appended-rows.ts"
import type { Db } from "../open.ts"
import { sql, transaction } from "../sql.ts"
import { decodeLogLine, type LogQuery } from "./list.ts"

/** A landing runs some tens of git commands, and one row holds the commands of one second. */
const ROWS_MAX = 200

const INSERT = `
  insert into git_lines (at, task, text)
  select :nowMs, id, :text from tasks where id = :task`
const PRUNE = `
  delete from git_lines where task = :task and seq <=
    (select seq from git_lines where task = :task order by seq desc limit 1 offset ${ROWS_MAX})`

/** Announces nothing: no follower or loop waits for these. */
export function recordGits(
  db: Db,
  { task, lines }: { readonly task: TaskId; readonly lines: readonly string[] },
  nowMs: number,
): void {
  if (!db.open) return // a timer may fire once more after the daemon has closed its store
  transaction(db, () => {
    sql(db, INSERT).run({ nowMs, task, text: lines.join("\n") })
    sql(db, PRUNE).run({ task })
  })
}

const LIST = `
  select seq, at as atMs, task, 0 as turn, 'git' as kind, text, null as call from git_lines
  where task = :task and seq > :after order by seq limit :limit`

/** Lists the git commands of a task after a cursor, oldest first, as log lines. */
export function listGits(db: Db, query: LogQuery): LogLine[] {
  return sql(db, LIST).list(query).map(decodeLogLine)
}
