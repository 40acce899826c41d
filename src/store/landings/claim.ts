/** Takes the queues of a landing's targets, when it is the first in each of them. */
import type { LandingId, TaskId } from "../../core/ids.ts"
import { appendEvent } from "../events/append.ts"
import { eventType } from "../events/type-name.ts"
import type { Db } from "../open.ts"
import { sql, transaction } from "../sql.ts"
import { isNext } from "./queue-order.ts"

const CLAIM = `
  update landings set state = 'preparing', since = :nowMs
  where id = :id and state = 'queued' and ${isNext("landings")}
  returning task`

const ENTER = "update landing_repos set in_flight = 1 where landing = :id and published = 0"

/**
 * Moves a landing from `queued` to `preparing`, unless another one that shares a target with it is
 * in flight, or queued before it, or unless it is held. All of its targets that have not
 * moved, or none; event `landing.claimed`.
 *
 * @returns whether it was claimed.
 */
export function claimLanding(db: Db, id: LandingId, nowMs: number): boolean {
  return transaction(db, () => {
    const row = sql(db, CLAIM).find({ id, nowMs })
    if (!row) return false
    sql(db, ENTER).run({ id })
    const data = { landing: id, from: "queued", to: "preparing", outcome: null, reason: null }
    appendEvent(
      db,
      { type: eventType("landing", "claimed"), task: row["task"] as TaskId, data },
      nowMs,
    )
    return true
  })
}
