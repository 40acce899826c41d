/** Finds the latest conversation of a task's agent on its work item, or else of the task: the one to resume. */
import type { TaskId } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"
import { SESSION_COLUMNS, type Session } from "./row.ts"

const LATEST = `
  select ${SESSION_COLUMNS} from sessions
  where id in (
    select job_sessions.session from jobs join job_sessions on job_sessions.job = jobs.id
    where jobs.task = :task
    union
    select sessions.id from tasks join sessions
      on sessions.work_item = tasks.work_item and sessions.agent = tasks.agent
    where tasks.id = :task)
  order by started_at desc, rowid desc limit 1`

export function latestSession(db: Db, task: TaskId): Session | undefined {
  return sql(db, LATEST).find({ task }) as Session | undefined
}
