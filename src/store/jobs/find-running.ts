/** Finds the job that runs for a task. */
import type { TaskId } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"
import { JOB_COLUMNS, type Job } from "./row.ts"

const FIND = `select ${JOB_COLUMNS} from jobs where task = :task and state = 'running'`

export function findRunningJob(db: Db, task: TaskId): Job | undefined {
  return sql(db, FIND).find({ task }) as Job | undefined
}
