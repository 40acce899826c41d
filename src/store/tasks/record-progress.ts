/** Writes down what an agent says that it does, while a turn of its task is open. */
import { assert } from "../../core/assert.ts"
import type { TaskId } from "../../core/ids.ts"
import { appendEvent } from "../events/append.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"

const SAY = `
  update tasks set last_message = :text
  where id = :task and exists (select 1 from turns where task = :task and ended_at is null)`

/**
 * In the transaction of its caller, who writes many at once. Event `task.progress`.
 *
 * @returns false when no turn is open: an agent's last words stay its last.
 */
export function recordProgress(db: Db, task: TaskId, text: string, nowMs: number): boolean {
  assert(db.inTransaction, "progress is written with what else was said")
  if (sql(db, SAY).run({ task, text }) === 0) return false
  appendEvent(db, { type: "task.progress", task, data: { text } }, nowMs)
  return true
}
