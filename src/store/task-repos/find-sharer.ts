/** Finds an unfinished task with the same branch or worktree as another one. */
import type { TaskId } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"

export type Shared = {
  /** The task that owns the branch and worktree; it does not count as a sharer. */
  readonly task: TaskId
  /** The repository's main worktree, or bare directory. */
  readonly path: string
  readonly branch: string | null | undefined
  readonly worktree: string
}

/** A complete or cancelled task no longer needs its branch, and does not count. */
const FIND = `
  select repo.task from task_repos repo join tasks on tasks.id = repo.task
  where repo.task <> :task and repo.path = :path
    and (repo.branch = :branch or repo.worktree = :worktree)
    and tasks.state not in ('complete', 'cancelled')
  order by repo.task limit 1`

export function findSharer(db: Db, { task, path, branch, worktree }: Shared): TaskId | undefined {
  const shared = { task, path, branch: branch ?? null, worktree }
  return sql(db, FIND).find(shared)?.["task"] as TaskId | undefined
}
