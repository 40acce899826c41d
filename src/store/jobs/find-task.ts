/** Finds the task that a running job is for. */
import type { JobId, TaskId } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"
import { findTask } from "../tasks/find.ts"
import type { Task } from "../tasks/row.ts"

const FIND = "select task from jobs where id = :job and state = 'running'"

/** @returns undefined when the job has ended. */
export function findTaskOfJob(db: Db, job: JobId): Task | undefined {
  const row = sql(db, FIND).find({ job })
  return row && findTask(db, row["task"] as TaskId)
}
