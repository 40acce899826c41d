/** Has a turn that was put off tried at once, because a person says so. */
import type { TaskId } from "../../core/ids.ts"
import { appendEvent } from "../events/append.ts"
import type { Db } from "../open.ts"
import { sql, transaction } from "../sql.ts"

const HASTEN = `
  update turns set retry_at = null, waits_for = null, failures = 0, insisted = 1
  where task = :task and ended_at is null and retry_at is not null
  returning n`

/**
 * Its tries are counted anew, and what is known of its account's limit does not hold it up once more.
 *
 * Event `turn.hastened`. @returns false when no turn of the task is put off; nothing changes then.
 */
export function hastenTurn(db: Db, task: TaskId, nowMs: number): boolean {
  return transaction(db, () => {
    const row = sql(db, HASTEN).find({ task })
    if (!row) return false
    appendEvent(db, { type: "turn.hastened", task, data: { n: row["n"] } }, nowMs)
    return true
  })
}
