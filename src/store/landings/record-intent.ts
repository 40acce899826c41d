/** Records that a checkout is about to be advanced, before it is: git cannot say so later. */
import { assert } from "../../core/assert.ts"
import type { LandingId } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"

const RECORD = "update landing_repos set intent = :json where landing = :id and name = :name"

/**
 * Outside the state machine: the landing's state does not move.
 *
 * @param intent any JSON value; null: no checkout is being advanced.
 */
export function recordIntent(
  db: Db,
  { id }: { readonly id: LandingId },
  name: string,
  intent: unknown,
): void {
  const json = intent === null ? null : JSON.stringify(intent)
  const changed = sql(db, RECORD).run({ id, name, json })
  assert(changed === 1, "an intent is of a repository of its landing")
}
