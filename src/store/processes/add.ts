/** Notes a process that we started. */
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"
import type { OwnedProcess } from "./row.ts"

/** A row with the same pid is of a process that is gone. */
const ADD = `
  insert into processes (pid, started, mark, cgroup, task, purpose, session)
  values (:pid, :identity, :mark, :cgroup, :task, :purpose, :session)
  on conflict (pid) do update
  set started = excluded.started, mark = excluded.mark, cgroup = excluded.cgroup,
    task = excluded.task,
    purpose = excluded.purpose, session = excluded.session`

/** @throws when another process has the session: the database refuses a second one. */
export function addProcess(db: Db, process: OwnedProcess): void {
  sql(db, ADD).run({ ...process })
}
