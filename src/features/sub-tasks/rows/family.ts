/**
 * The tree of tasks: a task, and the sub-tasks that its agent proposed.
 *
 * A task waits for its sub-tasks that report, and lands after the tasks that it depends on. No task may
 * wait in a circle. So a new sub-task is refused if a task that it lands after waits for its parent.
 */
import type { TaskId } from "../../../base/ids.ts"
import type { Db } from "../../../kernel/store/open.ts"
import { sql } from "../../../kernel/store/sql.ts"

const CHILDREN = "select id from tasks where parent = :task order by id"
const BELOW = `
  with recursive below (id) as (
    select id from tasks where parent = :task
    union select tasks.id from tasks join below on tasks.parent = below.id)
  select id from below order by id`
const ABOVE = `
  with recursive above (id, distance) as (
    select parent, 1 from tasks where id = :task and parent is not null
    union select tasks.parent, distance + 1 from tasks join above on tasks.id = above.id
      where tasks.parent is not null)
  select id from above order by distance`
const ALL_CHILDREN = "select id, parent from tasks where parent is not null order by id"
const WAITS_FOR = `
  with recursive ahead (id) as (
    select :from
    union select depends_on from ahead join dependencies on dependencies.task = ahead.id
    union select tasks.id from ahead join tasks on tasks.parent = ahead.id
      where reports = 1 and reported = 0)
  select 1 from ahead where id = :to`

/** The task's own children, oldest first. */
export const listChildren = (db: Db, task: TaskId): TaskId[] => ids(db, CHILDREN, { task })

/** The task's children, their children and so on, oldest first. */
export const listBelow = (db: Db, task: TaskId): TaskId[] => ids(db, BELOW, { task })

/** The task's parent, the parent of that and so on. */
export const listAbove = (db: Db, task: TaskId): TaskId[] => ids(db, ABOVE, { task })

/** The children of every task that has some. */
export function listAllChildren(db: Db): ReadonlyMap<TaskId, readonly TaskId[]> {
  const byParent = Map.groupBy(sql(db, ALL_CHILDREN).list(), ({ parent }) => parent as TaskId)
  return new Map([...byParent].map(([task, rows]) => [task, rows.map(({ id }) => id as TaskId)]))
}

/** Whether `from` is `to`, or can only end after it. */
export const waitsFor = (db: Db, from: TaskId, to: TaskId): boolean =>
  sql(db, WAITS_FOR).find({ from, to }) !== undefined

function ids(db: Db, text: string, params: Readonly<Record<string, TaskId>>): TaskId[] {
  return sql(db, text)
    .list(params)
    .map(({ id }) => id as TaskId)
}
