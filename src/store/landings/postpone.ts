/** Puts off the next look of a landing that waits. */
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"
import type { Landing } from "./row.ts"

const POSTPONE = "update landings set wake_at = :wakeAtMs where id = :id and state = 'waiting'"

/** No event: that somebody looked is nothing that happened. */
export function postponeLanding(db: Db, { id }: Pick<Landing, "id">, wakeAtMs: number): void {
  sql(db, POSTPONE).run({ id, wakeAtMs })
}
