/** Finds the task that another one's landing waits for. */
import type { TaskId } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"

const FIND = `
  select depends_on as id from dependencies join tasks on tasks.id = depends_on
  where task = :task and state not in ('complete', 'cancelled') order by depends_on limit 1`

/** The first of the tasks that `task` lands after and that is neither complete nor cancelled. */
export function findHeldBy(db: Db, task: TaskId): TaskId | undefined {
  return sql(db, FIND).find({ task })?.["id"] as TaskId | undefined
}
