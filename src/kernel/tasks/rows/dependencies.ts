/** The tasks that a task lands after. */
import type { TaskId } from "../../../base/ids.ts"
import type { Db } from "../../store/open.ts"
import { sql } from "../../store/sql.ts"

const OF_TASK = "select depends_on as id from dependencies where task = :task order by depends_on"
const OF_ALL = "select task, depends_on as id from dependencies order by task, depends_on"

/** Lists the tasks that `task` depends on, by `--after` or `--on`, in any state. */
export function listDependencies(db: Db, task: TaskId): TaskId[] {
  return sql(db, OF_TASK)
    .list({ task })
    .map(({ id }) => id as TaskId)
}

/** The same for every task that lands after another. */
export function listAllDependencies(db: Db): ReadonlyMap<TaskId, readonly TaskId[]> {
  const byTask = Map.groupBy(sql(db, OF_ALL).list(), ({ task }) => task as TaskId)
  return new Map([...byTask].map(([task, rows]) => [task, rows.map(({ id }) => id as TaskId)]))
}

/** A stacked pull request does not wait: it is opened while the lower one is still open. */
const FIND = `
  select depends_on as id from dependencies join tasks on tasks.id = depends_on
  where task = :task and state not in ('complete', 'cancelled')
    and (kind = 'after' or (kind = 'on' and land <> 'pr'))
  order by depends_on limit 1`

/** The first of the tasks that `task` has to wait for before it lands: neither complete nor cancelled. */
export function findHeldBy(db: Db, task: TaskId): TaskId | undefined {
  return sql(db, FIND).find({ task })?.["id"] as TaskId | undefined
}
