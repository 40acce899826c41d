/** The deletion of a task: requested, failed, done. */
import { boundedReason } from "../../store/bounded-reason.ts"
import { appendEvent } from "../../store/events.ts"
import type { Db } from "../../store/open.ts"
import { sql, transaction } from "../../store/sql.ts"
import type { Task } from "./row.ts"
import { removeUnownedSessions } from "./sessions/record.ts"

const SET = "update tasks set deletion = :deletion, updated_at = :nowMs where id = :id"

const FAILED = "task.deletion_failed"
const FIND_FAILED = `
  select data ->> 'reason' as reason from events where task = :id and type = '${FAILED}'
  order by seq desc limit 1`

const DELETING = "select 1 from tasks where deletion is not null limit 1"

export function isDeleting(db: Db): boolean {
  return sql(db, DELETING).find() !== undefined
}

/** The state does not change, so that the task can continue if the deletion fails. Event `task.deletion_requested`. */
export function requestDeletion(
  db: Db,
  { id }: Pick<Task, "id">,
  deletion: NonNullable<Task["deletion"]>,
  nowMs: number,
): void {
  transaction(db, () => {
    sql(db, SET).run({ id, deletion, nowMs })
    const data = { keepsWorktree: deletion === "keep" }
    appendEvent(db, { type: "task.deletion_requested", task: id, data }, nowMs)
  })
}

/** The task continues as it was, and a person may ask again. Event `task.deletion_failed`. */
export function recordDeletionFailed(
  db: Db,
  { id }: Pick<Task, "id">,
  reason: string,
  nowMs: number,
): void {
  transaction(db, () => {
    const shown = boundedReason(db, { task: id, text: reason }, nowMs)
    sql(db, SET).run({ id, deletion: null, nowMs })
    appendEvent(db, { type: FAILED, task: id, data: { reason: shown } }, nowMs)
  })
}

/** Why the last try to delete the task failed; null if none did. */
export function findDeletionFailure(db: Db, { id }: Pick<Task, "id">): string | null {
  return (sql(db, FIND_FAILED).find({ id })?.["reason"] as string | undefined) ?? null
}

/** @param notices the things that stay, one sentence each. Event `task.deleted`. */
export function removeTask(
  db: Db,
  { id, title }: Pick<Task, "id" | "title">,
  notices: readonly string[],
  nowMs: number,
): void {
  transaction(db, () => {
    if (sql(db, "delete from tasks where id = :id").run({ id }) === 0) return
    removeUnownedSessions(db)
    appendEvent(db, { type: "task.deleted", task: id, data: { title, notices } }, nowMs)
  })
}
