/** Notes that a task is to be deleted, or why it is still there. */
import { boundedReason } from "../bounded-reason.ts"
import { appendEvent } from "../events/append.ts"
import type { Db } from "../open.ts"
import { sql, transaction } from "../sql.ts"
import type { Task } from "./row.ts"

const REQUEST = `
  update tasks set deletion = :deletion, deletion_failed = null, deletion_retry = null,
    updated_at = :nowMs
  where id = :id`
const FAIL = `
  update tasks set deletion = null, deletion_failed = :reason, deletion_retry = deletion,
    updated_at = :nowMs
  where id = :id`
const FIND_FAILED = `
  select deletion_failed as reason, deletion_retry as deletion from tasks
  where id = :id and deletion_failed is not null`
const WITHDRAW = `
  update tasks set deletion_failed = null, deletion_retry = null
  where id = :id and deletion_failed is not null`
const RENEW = `
  update tasks set deletion_failed = :reason, deletion_retry = :deletion
  where id = :id and deletion is null and deletion_failed is null`

/** Why it failed, and as what cleaning up tries it again. */
type FailedDeletion = { readonly reason: string; readonly deletion: Task["deletion"] }

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
    sql(db, REQUEST).run({ id, deletion, nowMs })
    const data = { keepsWorktree: deletion === "keep" }
    appendEvent(db, { type: "task.deletion_requested", task: id, data }, nowMs)
  })
}

/** Cleaning up tries it again, until somebody wants the task to go on. Event `task.deletion_failed`. */
export function recordDeletionFailed(
  db: Db,
  { id }: Pick<Task, "id">,
  reason: string,
  nowMs: number,
): void {
  transaction(db, () => {
    const shown = boundedReason(db, { task: id, text: reason }, nowMs)
    sql(db, FAIL).run({ id, reason: shown, nowMs })
    const data = { reason: shown }
    appendEvent(db, { type: "task.deletion_failed", task: id, data }, nowMs)
  })
}

/**
 * Somebody wants it to go on: its deletion, which has failed, is not tried again.
 *
 * @returns for {@link renewDeletion}; undefined where none has failed.
 */
export function withdrawDeletion(db: Db, { id }: Pick<Task, "id">): FailedDeletion | undefined {
  return transaction(db, () => {
    const failed = sql(db, FIND_FAILED).find({ id }) as FailedDeletion | undefined
    sql(db, WITHDRAW).run({ id })
    return failed
  })
}

/** Nothing came of what was wanted instead: it is tried again, unless it is asked for already. */
export function renewDeletion(db: Db, { id }: Pick<Task, "id">, failed: FailedDeletion): void {
  sql(db, RENEW).run({ id, ...failed })
}
