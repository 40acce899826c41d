/** Finds the task that has a branch or a worktree for its own, and is not over. */
import type { TaskId } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"

export type WorkPlace = {
  /** Of the repository. */
  readonly path: string
  readonly branch: string | null
  readonly worktree: string | null
}

/** What is complete owns its branch still where it was told to leave it unlanded. */
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
