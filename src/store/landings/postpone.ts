/** Postpones the next check of a waiting landing. */
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"
import type { Landing } from "./row.ts"

const POSTPONE = "update landings set wake_at = :wakeAtMs where id = :id and state = 'waiting'"

/** No event: a check changes nothing. */
export function postponeLanding(db: Db, { id }: Pick<Landing, "id">, wakeAtMs: number): void {
  sql(db, POSTPONE).run({ id, wakeAtMs })
}
