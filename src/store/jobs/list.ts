/** Lists a task's jobs with their sessions, oldest first. */
import type { SessionId, TaskId } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"
import type { JobWithSessions } from "./row.ts"

const LIST = `
  select jobs.id, jobs.state, sessions.id as session
  from jobs left join sessions on sessions.job = jobs.id
  where jobs.task = :task order by jobs.id, sessions.started_at, sessions.rowid`

export function listJobs(db: Db, task: TaskId): JobWithSessions[] {
  const byJob = Map.groupBy(sql(db, LIST).list({ task }), (row) => row["id"])
  return [...byJob.values()].map((rows) => {
    const sessions = rows.map((row) => row["session"] as SessionId | null)
    const { id, state } = rows[0]!
    return {
      id,
      state,
      sessions: sessions.filter((session) => session !== null),
    } as JobWithSessions
  })
}
