/** The processes that we own, so that the next daemon can end them. */
import type { SessionId, TaskId } from "../../base/ids.ts"
import type { Purpose } from "../process/process-purpose.ts"
import type { Db } from "./open.ts"
import { sql } from "./sql.ts"

/** A process as stored: a process of an agent or gate, which must not outlive the daemon. */
export type OwnedProcess = {
  readonly pid: number
  /** Distinguishes it from a later process with the same pid (kernel/process/process-identity.ts). */
  readonly identity: string
  /** Set in its environment, and in that of all its descendants. */
  readonly mark: string
  /** The folder of its control group; null without one. */
  readonly cgroup: string | null
  readonly task: TaskId | null
  readonly purpose: Purpose
  /** The conversation of the process; null without one. */
  readonly session: SessionId | null
}

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

const LIST =
  "select pid, started as identity, mark, cgroup, task, purpose, session from processes order by pid"

/** Lists the processes that an earlier daemon may have left. */
export function listProcesses(db: Db): OwnedProcess[] {
  return sql(db, LIST).list() as OwnedProcess[]
}

export function removeProcess(db: Db, pid: number): void {
  sql(db, "delete from processes where pid = :pid").run({ pid })
}
