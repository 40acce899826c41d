/** Records that we are about to advance a checkout, because git cannot tell afterwards. */
import { assert } from "../../core/assert.ts"
import type { LandingId } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"

const RECORD = "update landing_repos set intent = :json where landing = :id and name = :name"

/**
 * The landing's state does not change.
 *
 * @param intent any JSON value; null if no checkout is being advanced.
 */
export function recordIntent(
  db: Db,
  { id }: { readonly id: LandingId },
  name: string,
  intent: unknown,
): void {
  const json = intent === null ? null : JSON.stringify(intent)
  const changed = sql(db, RECORD).run({ id, name, json })
  assert(changed === 1, "the landing has this repository")
}
