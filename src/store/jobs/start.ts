/** Starts a job of a task. */
import type { TaskId } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"
import { JOB_COLUMNS, type Job } from "./row.ts"

const START = `
  insert into jobs (task, state, started_at) values (:task, 'running', :nowMs)
  returning ${JOB_COLUMNS}`

/** @throws if the task has a running job: the database refuses a second one. */
export function startJob(db: Db, task: TaskId, nowMs: number): Job {
  return sql(db, START).read({ task, nowMs }) as Job
}
