/** Lists the branches of a repository on which the work of tasks waits to be landed. */
import type { Oid, TaskId } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"

export type TaskBranch = {
  readonly task: TaskId
  readonly branch: string
  /** Where the task's work begins, where that is known. */
  readonly base: Oid | null
}

const LIST = `
  select task, branch, base from task_repos
  where path = :path and branch is not null and merge_tip is null
  order by task desc`

export function listBranches(db: Db, path: string): TaskBranch[] {
  return sql(db, LIST)
    .list({ path })
    .map(({ task, branch, base }) => ({
      task: task as TaskId,
      branch: branch as string,
      base: base as Oid | null,
    }))
}
