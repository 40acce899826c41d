/** Says how much money a task's agent may still spend. */
import type { Budget } from "../core/budget.ts"
import type { TaskId } from "../core/ids.ts"
import { findRunningJob } from "../store/jobs/find.ts"
import { sumSpentOfJob } from "../store/turns/usage.ts"
import type { JobsContext } from "./context.ts"

/** Less than this buys nothing, and a program may read 0 as unlimited. */
const USD_MIN = 0.01

/** In US dollars; undefined: no limit. */
export function costLeft(
  { db }: Pick<JobsContext, "db">,
  task: TaskId,
  { costUsd }: Budget,
): number | undefined {
  const job = findRunningJob(db, task)
  if (costUsd === undefined || !job) return undefined
  return Math.max(USD_MIN, costUsd - sumSpentOfJob(db, job.id).costUsd)
}
