/** Lists the branches that outlived their tasks. */
import type { Oid, TaskId } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"
import type { TaskBranch } from "./list.ts"

/** `made_branch` is null once the branch is deleted. Kept work, without a landing, stays on purpose. */
const LIST_LEFT = `
  select task, made_branch as branch, base from task_repos join tasks on tasks.id = task
  where path = :path and made_branch is not null and worktree is null
    and state in ('complete', 'cancelled')
    and (state = 'cancelled' or exists (select 1 from landings where landings.task = tasks.id))
    and not exists (select 1 from landings
      where landings.task = tasks.id and landings.state not in ('landed', 'cancelled'))
  order by task`

/** Lists the branches that we made for tasks that are over, and have not deleted. Git may not have them. */
export function listLeftBranches(db: Db, path: string): TaskBranch[] {
  return sql(db, LIST_LEFT)
    .list({ path })
    .map(({ task, branch, base }) => ({
      task: task as TaskId,
      branch: branch as string,
      base: base as Oid | null,
    }))
}
