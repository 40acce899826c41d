/** Makes sure that a task whose agent continues has a running job. */
import type { TaskId } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { findRunningJob } from "./find-running.ts"
import type { Job } from "./row.ts"
import { startJob } from "./start.ts"

/** The running job; else a new one, for a stopped task that was landed again since. */
export function continueJob(db: Db, task: TaskId, nowMs: number): Job {
  return findRunningJob(db, task) ?? startJob(db, task, nowMs)
}
