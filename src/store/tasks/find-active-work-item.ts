/** Finds the task that is working on a work item. */
import type { TaskId } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"

const FIND = `
  select id from tasks
  where work_item = :workItem and state not in ('complete', 'cancelled')
  order by id limit 1`

/** Undefined when every task of this work item is complete or cancelled. */
export function findActiveWorkItem(db: Db, workItem: string): TaskId | undefined {
  return sql(db, FIND).find({ workItem })?.["id"] as TaskId | undefined
}
