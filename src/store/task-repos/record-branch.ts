/** Records that the agent renamed the branch of its worktree. Coppice follows the worktree. */
import { assert } from "../../core/assert.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"
import type { TaskRepoKey } from "./key.ts"

const RECORD =
  "update task_repos set branch = :branch, made_branch = :branch where task = :task and name = :name"

export function recordBranch(db: Db, renamed: TaskRepoKey & { readonly branch: string }): void {
  const { task, name, branch } = renamed
  const changed = sql(db, RECORD).run({ task, name, branch })
  assert(changed === 1, "a branch belongs to a repository of its task")
}
