/** Starts jobs, and records the heartbeats of their agents. */
import type { TaskId } from "../../../../base/ids.ts"
import { appendEvent } from "../../../store/events.ts"
import type { Db } from "../../../store/open.ts"
import { sql, transaction } from "../../../store/sql.ts"
import { findRunningJob, JOB_COLUMNS, type Job } from "./find.ts"

const START = `
  insert into jobs (task, state, started_at) values (:task, 'running', :nowMs)
  returning ${JOB_COLUMNS}`

/** Event `job.started`. @throws if the task has a running job: the database refuses a second one. */
export function startJob(db: Db, task: TaskId, nowMs: number): Job {
  return transaction(db, () => {
    const job = sql(db, START).read({ task, nowMs }) as Job
    appendEvent(db, { type: "job.started", task, data: { job: job.id } }, nowMs)
    return job
  })
}

/** The running job; else a new one, for a stopped task that was landed again since. */
export function continueJob(db: Db, task: TaskId, nowMs: number): Job {
  return findRunningJob(db, task) ?? startJob(db, task, nowMs)
}

const END =
  "update jobs set state = 'ended', ended_at = :nowMs where task = :task and state = 'running'"

/** Ends the running job, if any, and starts the next one, which has the agent's whole budget. */
export function replaceJob(db: Db, task: TaskId, nowMs: number): Job {
  return transaction(db, () => {
    sql(db, END).run({ task, nowMs })
    return startJob(db, task, nowMs)
  })
}

const RECORD = `
  update jobs set heartbeat_at = :atMs
  where task = :task and state = 'running' and coalesce(heartbeat_at, 0) < :atMs`

/** A heartbeat does not decide whether the agent is alive: its process does. */
export function recordHeartbeat(db: Db, task: TaskId, atMs: number): void {
  sql(db, RECORD).run({ task, atMs })
}
