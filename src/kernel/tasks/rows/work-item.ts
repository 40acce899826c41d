/** Finds the task that has a work item, a branch or a worktree. */
import type { TaskId } from "../../../base/ids.ts"
import type { Db } from "../../store/open.ts"
import { sql } from "../../store/sql.ts"

const FIND = `
  select id from tasks
  where work_item = :workItem and state not in ('complete', 'cancelled')
  order by id limit 1`

/** Undefined when every task of this work item is complete or cancelled. */
export function findActiveWorkItem(db: Db, workItem: string): TaskId | undefined {
  return sql(db, FIND).find({ workItem })?.["id"] as TaskId | undefined
}

/**
 * Whether the task `other` goes before `tasks` on their work item: it is unfinished and has
 * begun, or waits too and came first.
 */
export const GOES_BEFORE = `
  other.work_item = tasks.work_item and other.id <> tasks.id
  and other.state not in ('complete', 'cancelled')
  and (other.state <> 'registered' or other.id < tasks.id)`

const FIND_WORK_ITEM_USER = `
  select other.id from tasks join tasks other on ${GOES_BEFORE}
  where tasks.id = :task and tasks.state = 'registered'
  order by other.state = 'registered', other.id limit 1`

/** Undefined if the task has begun, or may begin. */
export function findWorkItemUser(db: Db, task: TaskId): TaskId | undefined {
  return sql(db, FIND_WORK_ITEM_USER).find({ task })?.["id"] as TaskId | undefined
}

export type WorkPlace = {
  /** Path of the repository. */
  readonly path: string
  readonly branch: string | null
  readonly worktree: string | null
}

/** A complete task still owns its branch if its work is kept and not landed. */
const FIND_OWNER_OF_WORK = `
  select min(task) as id
  from task_repos join tasks on tasks.id = task_repos.task
  where path = :path and (branch = :branch or worktree = :worktree)
    and (state not in ('complete', 'cancelled')
      or (state = 'complete' and land = 'none' and worktree is not null))`

/** Finds the unfinished task that owns a branch or a worktree. */
export function findOwnerOfWork(db: Db, { path, branch, worktree }: WorkPlace): TaskId | undefined {
  const { id } = sql(db, FIND_OWNER_OF_WORK).read({ path, branch, worktree })
  return (id as TaskId | null) ?? undefined
}
