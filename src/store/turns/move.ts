/** Gives an open turn to another conversation. */
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"
import { decodeTurn, TURN_COLUMNS, type Turn } from "./row.ts"

const MOVE = `
  update turns set session = :session, prompt = :prompt, begun_at = null
  where task = :task and n = :n and ended_at is null
  returning ${TURN_COLUMNS}`

/** The new conversation has not received it yet. @returns undefined if the turn has ended. */
export function moveTurn(
  db: Db,
  { task, n }: Pick<Turn, "task" | "n">,
  { session, prompt }: Pick<Turn, "session" | "prompt">,
): Turn | undefined {
  const row = sql(db, MOVE).find({ task, n, session, prompt })
  return row && decodeTurn(row)
}
