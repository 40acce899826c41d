/** Counts the landings that are not over. */
import type { Db } from "../../store/open.ts"
import { sql } from "../../store/sql.ts"

const COUNT = `
  select state, count(*) as n from landings
  where state not in ('landed', 'cancelled', 'failed', 'handed_back') group by state order by state`

/** States without any are absent. */
export function countLandings(db: Db): Record<string, number> {
  const rows = sql(db, COUNT).list()
  return Object.fromEntries(rows.map(({ state, n }) => [state, n]))
}
