/** Finds the unfinished task that owns a branch or a worktree. */
import type { TaskId } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"

export type WorkPlace = {
  /** Path of the repository. */
  readonly path: string
  readonly branch: string | null
  readonly worktree: string | null
}

/** A complete task still owns its branch if its work is kept and not landed. */
const FIND = `
  select min(task) as id
  from task_repos join tasks on tasks.id = task_repos.task
  where path = :path and (branch = :branch or worktree = :worktree)
    and (state not in ('complete', 'cancelled')
      or (state = 'complete' and land = 'none' and worktree is not null))`

export function findOwnerOfWork(db: Db, { path, branch, worktree }: WorkPlace): TaskId | undefined {
  const { id } = sql(db, FIND).read({ path, branch, worktree })
  return (id as TaskId | null) ?? undefined
}
