/** Finds the task that a running job is for. */
import type { JobId, TaskId } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"

const FIND = "select task from jobs where id = :job and state = 'running'"

/** @returns undefined when the job has ended. */
export function findTaskOfJob(db: Db, job: JobId): TaskId | undefined {
  return sql(db, FIND).find({ job })?.["task"] as TaskId | undefined
}
