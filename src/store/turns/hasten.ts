/** Makes a postponed turn due at once, because a person asked for it. */
import type { TaskId } from "../../core/ids.ts"
import { appendEvent } from "../events/append.ts"
import type { Db } from "../open.ts"
import { sql, transaction } from "../sql.ts"

const HASTEN = `
  update turns set retry_at = null, waits_for = null, failures = 0, insisted = 1
  where task = :task and ended_at is null and retry_at is not null
  returning n`

/**
 * Its tries count from zero again, and the known limit of its account does not postpone it again.
 *
 * Event `turn.hastened`. @returns false, and changes nothing, without a postponed turn.
 */
export function hastenTurn(db: Db, task: TaskId, nowMs: number): boolean {
  return transaction(db, () => {
    const row = sql(db, HASTEN).find({ task })
    if (!row) return false
    appendEvent(db, { type: "turn.hastened", task, data: { n: row["n"] } }, nowMs)
    return true
  })
}
