/** Jobs as stored: executions of an agent for a task. */
import type { JobId, SessionId, TaskId } from "../../../../base/ids.ts"
import type { Db } from "../../../store/open.ts"
import { type SqlRow, sql } from "../../../store/sql.ts"

/** A job as stored: one execution of an agent for a task. */
export type Job = {
  readonly id: JobId
  readonly task: TaskId
  readonly state: "running" | "ended"
  readonly startedAtMs: number
  readonly endedAtMs: number | null
  /** The agent's last sign of life in its session file. */
  readonly heartbeatAtMs: number | null
}

/** A job with its conversations, the latest last. */
export type JobWithSessions = Pick<Job, "id" | "state" | "startedAtMs" | "endedAtMs"> & {
  readonly sessions: readonly SessionId[]
  /** The last message of its agent; null: none yet. */
  readonly summary: string | null
  /** Why its task stopped; null: nothing went wrong. */
  readonly error: string | null
}

export const JOB_COLUMNS =
  "id, task, state, started_at as startedAtMs, ended_at as endedAtMs, heartbeat_at as heartbeatAtMs"

const FIND = `select ${JOB_COLUMNS} from jobs where task = :task and state = 'running'`

export function findRunningJob(db: Db, task: TaskId): Job | undefined {
  return sql(db, FIND).find({ task }) as Job | undefined
}

const FIND_TASK = "select task from jobs where id = :job and state = 'running'"

/** @returns undefined when the job has ended. */
export function findTaskOfJob(db: Db, job: JobId): TaskId | undefined {
  return sql(db, FIND_TASK).find({ job })?.["task"] as TaskId | undefined
}

const SELECT = `
  select jobs.id, jobs.task, jobs.state, jobs.started_at as startedAtMs, jobs.ended_at as endedAtMs,
    jobs.error, sessions.id as session,
    (select coalesce(message, declared) from turns
      where turns.job = jobs.id and coalesce(message, declared) is not null
      order by n desc limit 1) as summary
  from jobs left join job_sessions on job_sessions.job = jobs.id
  left join sessions on sessions.id = job_sessions.session`
const ORDER = "order by jobs.id, sessions.started_at, sessions.rowid"

export function listJobs(db: Db, task: TaskId): JobWithSessions[] {
  return decodeJobs(sql(db, `${SELECT} where jobs.task = :task ${ORDER}`).list({ task }))
}

export function listAllJobs(db: Db): ReadonlyMap<TaskId, readonly JobWithSessions[]> {
  const byTask = Map.groupBy(sql(db, `${SELECT} ${ORDER}`).list(), (row) => row["task"] as TaskId)
  return new Map([...byTask].map(([task, rows]) => [task, decodeJobs(rows)]))
}

/** @param rows one for each session, and one for a job without any. */
function decodeJobs(rows: readonly SqlRow[]): JobWithSessions[] {
  return [...Map.groupBy(rows, (row) => row["id"]).values()].map((ofJob) => {
    const sessions = ofJob.flatMap((row) => (row["session"] as SessionId | null) ?? [])
    const { task: _, session: __, ...job } = ofJob[0] as SqlRow & Omit<JobWithSessions, "sessions">
    return { ...job, sessions }
  })
}
