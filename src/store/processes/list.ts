/** Lists the processes that an earlier daemon may have left. */
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"
import type { OwnedProcess } from "./row.ts"

const LIST =
  "select pid, started as identity, mark, cgroup, task, purpose, session from processes order by pid"

export function listProcesses(db: Db): OwnedProcess[] {
  return sql(db, LIST).list() as OwnedProcess[]
}
