/** Records that a branch is about to be made for a task: only such a branch is ours. */
import { assert } from "../../core/assert.ts"
import type { Oid } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"
import type { TaskRepoKey } from "./key.ts"

const RECORD = `
  update task_repos set made_branch = :branch, made_at = :at where task = :task and name = :name`

export type MadeBranch = TaskRepoKey & { readonly branch: string; readonly at: Oid }

export function recordMade(db: Db, { task, name, branch, at }: MadeBranch): void {
  const changed = sql(db, RECORD).run({ task, name, branch, at })
  assert(changed === 1, "a branch is made for a repository of its task")
}
