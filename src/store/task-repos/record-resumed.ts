/** Makes a repository of a complete task ready for more work. */
import type { TaskId } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"

/**
 * Earlier landings stay recorded. If the worktree is gone, so is the branch, and the next one begins at
 * the target; a kept one continues as it is.
 */
const RECORD = `
  update task_repos
  set branch = case when worktree is not null then branch end,
      made_branch = case when worktree is not null then made_branch end,
      base = case when worktree is not null then base end,
      merge_base = null, merge_tip = null,
      taken_back = case when worktree is not null then taken_back end
  where task = :task`

export function recordResumed(db: Db, task: TaskId): void {
  sql(db, RECORD).run({ task })
}
