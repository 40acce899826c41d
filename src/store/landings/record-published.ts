/** Records that one of a landing's targets has moved, before the next one does. */
import { assert } from "../../core/assert.ts"
import type { LandingId } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"

const RECORD = `
  update landing_repos set published = 1, intent = null where landing = :id and name = :name`

/** Outside the state machine: the landing's state does not move. Clears the intent. */
export function recordPublished(db: Db, { id }: { readonly id: LandingId }, name: string): void {
  const changed = sql(db, RECORD).run({ id, name })
  assert(changed === 1, "the published repository belongs to its landing")
}
