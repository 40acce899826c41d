/** Stacks: an upper task starts from the work of a lower one (`--on`). */
import type { TaskId } from "../../base/ids.ts"
import type { Db } from "../../kernel/store/open.ts"
import { sql } from "../../kernel/store/sql.ts"

const FIND_LOWER = `
  select depends_on as id, kind from dependencies where task = :task and kind in ('on', 'off')`

/**
 * The lower task of a task. `isOff`: the upper one leads into the target for good, since the lower work
 * has landed there, or a person decided so.
 */
export function findLower(
  db: Db,
  task: TaskId,
): { readonly id: TaskId; readonly isOff: boolean } | undefined {
  const row = sql(db, FIND_LOWER).find({ task })
  return row && { id: row["id"] as TaskId, isOff: row["kind"] === "off" }
}

const LIST_LOWER = "select task, depends_on as id from dependencies where kind in ('on', 'off')"

/** The lower task of every upper task. */
export const listAllLower = (db: Db): ReadonlyMap<TaskId, TaskId> =>
  new Map(
    sql(db, LIST_LOWER)
      .list()
      .map(({ task, id }) => [task as TaskId, id as TaskId]),
  )

const LIST_UPPER = "select task as id from dependencies where depends_on = :task and kind = 'on'"

/** The upper tasks of a task. */
export function listUpper(db: Db, task: TaskId): TaskId[] {
  return sql(db, LIST_UPPER)
    .list({ task })
    .map(({ id }) => id as TaskId)
}

const TAKE_OFF = `
  update dependencies set kind = 'off'
  where kind = 'on' and (task = :upper or depends_on = :lower)`

/**
 * From now on the upper task's own commits land without those of its lower task; or those of all tasks
 * on a lower one, once its work is in the target.
 */
export function takeOff(db: Db, of: { readonly upper: TaskId } | { readonly lower: TaskId }): void {
  sql(db, TAKE_OFF).run({ upper: null, lower: null, ...of })
}

/**
 * Whether a new task waits for its lower task's first snapshot. A lower task that was cancelled before
 * it has no work to start from.
 */
export const WAITS_FOR_LOWER = `
  exists (
    select 1 from dependencies join tasks lower on lower.id = depends_on
    where dependencies.task = tasks.id and kind = 'on' and lower.state <> 'complete'
      and not exists (
        select 1 from landings join landing_repos on landing_repos.landing = landings.id
        where landings.task = lower.id and head is not null))`

const FIND_AWAITED = `
  select id from tasks where id = :task and state = 'registered' and ${WAITS_FOR_LOWER}`

/** The task whose first snapshot a new task waits for. */
export function findAwaitedLower(db: Db, task: TaskId): TaskId | undefined {
  return sql(db, FIND_AWAITED).find({ task }) && findLower(db, task)?.id
}
