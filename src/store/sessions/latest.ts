/** Finds the latest conversation of a task: the one to resume. */
import type { TaskId } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"
import type { Session } from "./add.ts"

const LATEST = `
  select sessions.id, sessions.job
  from sessions join jobs on jobs.id = sessions.job
  where jobs.task = :task order by sessions.started_at desc, sessions.rowid desc limit 1`

export function latestSession(db: Db, task: TaskId): Session | undefined {
  return sql(db, LATEST).find({ task }) as Session | undefined
}
