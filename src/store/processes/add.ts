/** Records a process that we started. */
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"
import type { OwnedProcess } from "./row.ts"

/** An old row with the same pid belongs to a dead process. */
const ADD = `
  insert into processes (pid, started, mark, cgroup, task, purpose, session)
  values (:pid, :identity, :mark, :cgroup, :task, :purpose, :session)
  on conflict (pid) do update
  set started = excluded.started, mark = excluded.mark, cgroup = excluded.cgroup,
    task = excluded.task,
    purpose = excluded.purpose, session = excluded.session`

/** @throws if another process has the session: the database refuses a second one. */
export function addProcess(db: Db, process: OwnedProcess): void {
  sql(db, ADD).run({ ...process })
}
