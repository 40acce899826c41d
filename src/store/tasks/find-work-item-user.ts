/** Finds the task that another one waits for on the same work item. */
import type { TaskId } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"

/**
 * Whether the task `other` goes before `tasks` on their work item: it is unfinished and has
 * begun, or waits too and came first.
 */
export const GOES_BEFORE = `
  other.work_item = tasks.work_item and other.id <> tasks.id
  and other.state not in ('complete', 'cancelled')
  and (other.state <> 'registered' or other.id < tasks.id)`

const FIND = `
  select other.id from tasks join tasks other on ${GOES_BEFORE}
  where tasks.id = :task and tasks.state = 'registered'
  order by other.state = 'registered', other.id limit 1`

/** Undefined if the task has begun, or may begin. */
export function findWorkItemUser(db: Db, task: TaskId): TaskId | undefined {
  return sql(db, FIND).find({ task })?.["id"] as TaskId | undefined
}
