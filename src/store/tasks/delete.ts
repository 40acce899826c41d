/** Deletes a task and all that is stored of it, but its events. */
import type { TaskId } from "../../core/ids.ts"
import { appendEvent } from "../events/append.ts"
import type { Db } from "../open.ts"
import { sql, transaction } from "../sql.ts"

/** @returns false when there is no such task; event `task.deleted`. */
export function deleteTask(db: Db, id: TaskId, nowMs: number): boolean {
  return transaction(db, () => {
    if (sql(db, "delete from tasks where id = :id").run({ id }) === 0) return false
    appendEvent(db, { type: "task.deleted", task: id, data: {} }, nowMs)
    return true
  })
}
