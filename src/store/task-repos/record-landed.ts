/** Records how a landing moved a task's target. */
import { assert } from "../../core/assert.ts"
import type { Oid } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"
import type { TaskRepoKey } from "./key.ts"

export type RecordedMove = TaskRepoKey & {
  /** The target before. */
  readonly mergeBase: Oid
  /** The target after. */
  readonly mergeTip: Oid
}

const RECORD = `
  update task_repos set merge_base = :mergeBase, merge_tip = :mergeTip, taken_back = null
  where task = :task and name = :name`

export function recordLanded(db: Db, { task, name, mergeBase, mergeTip }: RecordedMove): void {
  const changed = sql(db, RECORD).run({ task, name, mergeBase, mergeTip })
  assert(changed === 1, "the landed repository belongs to its task")
}
