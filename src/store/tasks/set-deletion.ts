/** Notes that a task is to be deleted, or why it is still there. */
import { appendEvent } from "../events/append.ts"
import type { Db } from "../open.ts"
import { sql, transaction } from "../sql.ts"
import type { Task } from "./row.ts"

const SET = `
  update tasks set deletion = :deletion, deletion_failed = :failed, updated_at = :nowMs
  where id = :id`

/**
 * The state stays what it is: what the task was doing goes on where the deletion fails.
 *
 * Event `task.deletion_requested`.
 */
export function requestDeletion(
  db: Db,
  { id }: Pick<Task, "id">,
  deletion: NonNullable<Task["deletion"]>,
  nowMs: number,
): void {
  transaction(db, () => {
    sql(db, SET).run({ id, deletion, failed: null, nowMs })
    const data = { keepsWorktree: deletion === "keep" }
    appendEvent(db, { type: "task.deletion_requested", task: id, data }, nowMs)
  })
}

/** Event `task.deletion_failed`. */
export function recordDeletionFailed(
  db: Db,
  { id }: Pick<Task, "id">,
  reason: string,
  nowMs: number,
): void {
  transaction(db, () => {
    sql(db, SET).run({ id, deletion: null, failed: reason, nowMs })
    appendEvent(db, { type: "task.deletion_failed", task: id, data: { reason } }, nowMs)
  })
}
