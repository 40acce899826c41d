/** Lists the landings that revert a landing, or have done so. */
import { assert } from "../../core/assert.ts"
import type { LandingId } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"
import { findLanding } from "./find.ts"
import type { Landing } from "./row.ts"

const LIST = `
  select id from landings
  where undoes = :id and state not in ('failed', 'cancelled') order by id`

export function listUndoing(db: Db, id: LandingId): Landing[] {
  return sql(db, LIST)
    .list({ id })
    .map((row) => {
      const landing = findLanding(db, row["id"] as LandingId)
      assert(landing, "a landing that was selected is there")
      return landing
    })
}
