/** Records whether the landed work of a task was reverted. */
import { assert } from "../../core/assert.ts"
import type { Oid } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"
import type { TaskRepoKey } from "./key.ts"

const RECORD = "update task_repos set taken_back = :tip where task = :task and name = :name"

/** @param taken `tip`: the target's commit that reverted it; null: its change is on the target again. */
export function recordTakenBack(db: Db, taken: TaskRepoKey & { readonly tip: Oid | null }): void {
  const { task, name, tip } = taken
  const changed = sql(db, RECORD).run({ task, name, tip })
  assert(changed === 1, "the reverted repository belongs to its task")
}
