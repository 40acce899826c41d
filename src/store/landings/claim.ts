/** Claims the queues of a landing's targets, if it is the first in each. */
import type { LandingId, TaskId } from "../../core/ids.ts"
import { appendEvent } from "../events/append.ts"
import { eventType } from "../events/type-name.ts"
import type { Db } from "../open.ts"
import { sql, transaction } from "../sql.ts"
import { isInLine, isNext } from "./queue-order.ts"

const CLAIM = `
  update landings set state = 'preparing', since = :nowMs
  where id = :id and state = 'queued' and ${isNext("landings")}
  returning task`

const ENTER = "update landing_repos set in_flight = 1 where landing = :id and published = 0"

/** Landings in line for one of its targets that came before it: each is overtaken once more. */
const OVERTAKE = `
  update landings set overtaken = overtaken + 1
  where ${isInLine("landings")} and id <> :id
    and (queued_at, id) < (select queued_at, id from landings where id = :id)
    and exists (
      select 1
      from landing_repos ours
      join landing_repos theirs on theirs.path = ours.path and theirs.target = ours.target
      where ours.landing = :id and theirs.landing = landings.id
        and ours.published = 0 and theirs.published = 0)`

/**
 * Moves a landing from `queued` to `preparing`, unless it is held, or another one with a common target
 * is in flight or before it. Claims all of its targets that have not moved, or none; event
 * `landing.claimed`.
 *
 * @returns whether it was claimed.
 */
export function claimLanding(db: Db, id: LandingId, nowMs: number): boolean {
  return transaction(db, () => {
    const row = sql(db, CLAIM).find({ id, nowMs })
    if (!row) return false
    sql(db, ENTER).run({ id })
    sql(db, OVERTAKE).run({ id })
    const data = { landing: id, from: "queued", to: "preparing", outcome: null, reason: null }
    appendEvent(
      db,
      { type: eventType("landing", "claimed"), task: row["task"] as TaskId, data },
      nowMs,
    )
    return true
  })
}
