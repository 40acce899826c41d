/** Records that a task's work begins at another commit, after its agent integrated the target. */
import { assert } from "../../core/assert.ts"
import type { Oid } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"
import type { TaskRepoKey } from "./key.ts"

const RECORD = "update task_repos set base = :base where task = :task and name = :name"

export function recordBase(db: Db, moved: TaskRepoKey & { readonly base: Oid }): void {
  const { task, name, base } = moved
  const changed = sql(db, RECORD).run({ task, name, base })
  assert(changed === 1, "a base belongs to a repository of its task")
}
