/** Lists jobs with their sessions, oldest first. */
import type { SessionId, TaskId } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { type SqlRow, sql } from "../sql.ts"
import type { JobWithSessions } from "./row.ts"

const SELECT = `
  select jobs.id, jobs.task, jobs.state, sessions.id as session
  from jobs left join job_sessions on job_sessions.job = jobs.id
  left join sessions on sessions.id = job_sessions.session`
const ORDER = "order by jobs.id, sessions.started_at, sessions.rowid"

/** The jobs of one task. */
export function listJobs(db: Db, task: TaskId): JobWithSessions[] {
  return decodeJobs(sql(db, `${SELECT} where jobs.task = :task ${ORDER}`).list({ task }))
}

/** The jobs of every task that has any. */
export function listAllJobs(db: Db): ReadonlyMap<TaskId, readonly JobWithSessions[]> {
  const byTask = Map.groupBy(sql(db, `${SELECT} ${ORDER}`).list(), (row) => row["task"] as TaskId)
  return new Map([...byTask].map(([task, rows]) => [task, decodeJobs(rows)]))
}

/** @param rows one for each session, and one for a job without any. */
function decodeJobs(rows: readonly SqlRow[]): JobWithSessions[] {
  return [...Map.groupBy(rows, (row) => row["id"]).values()].map((ofJob) => {
    const sessions = ofJob.map((row) => row["session"] as SessionId | null)
    const { id, state } = ofJob[0]!
    return {
      id,
      state,
      sessions: sessions.filter((session) => session !== null),
    } as JobWithSessions
  })
}
