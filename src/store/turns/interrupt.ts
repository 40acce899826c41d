/** Records that a try of an open turn is over, and its duration. */
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"
import type { Turn } from "./row.ts"

const INTERRUPT = `
  update turns set spent_ms = spent_ms + max(0, :nowMs - going_since), going_since = null
  where task = :task and session = :session and ended_at is null and going_since is not null`

/** For the current turn of the session. Safe to repeat; does nothing for an ended turn. */
export function interruptTurn(
  db: Db,
  { task, session }: Pick<Turn, "task" | "session">,
  nowMs: number,
): void {
  sql(db, INTERRUPT).run({ task, session, nowMs })
}
