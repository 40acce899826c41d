/** Finds the landing that another one waits for. */
import type { LandingId, TaskId } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"
import { isBefore, queuePlace } from "./queue-order.ts"

const FIND = `
  select other.id, other.task
  from landings own
  join landing_repos ours on ours.landing = own.id
  join landing_repos theirs on theirs.path = ours.path and theirs.target = ours.target
  join landings other on other.id = theirs.landing
  where own.id = :id and other.id <> :id and ours.published = 0 and theirs.published = 0
    and (theirs.in_flight = 1 or ${isBefore("other", "own")})
  order by theirs.in_flight desc, ${queuePlace("other")}
  limit 1`

/** Landings that revert it: until they end, half of its work may be there. */
const FIND_REVERSAL = `
  select id, task from landings
  where undoes = :id and state not in ('landed', 'cancelled') order by id limit 1`

/** The landing that reverts it, else the one in flight on one of its targets, else one before it. */
export function findLandingAhead(
  db: Db,
  id: LandingId,
): { readonly id: LandingId; readonly task: TaskId } | undefined {
  const found = sql(db, FIND_REVERSAL).find({ id }) ?? sql(db, FIND).find({ id })
  return found as { id: LandingId; task: TaskId } | undefined
}
