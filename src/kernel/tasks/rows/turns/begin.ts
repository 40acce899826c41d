/** Records that a turn went to an agent, or to another conversation. */
import { appendEvent } from "../../../store/events.ts"
import type { Db } from "../../../store/open.ts"
import { sql, transaction } from "../../../store/sql.ts"
import { decodeTurn, TURN_COLUMNS, type Turn } from "./find.ts"

const BEGIN = `
  update turns set begun_at = :nowMs where task = :task and n = :n and begun_at is null`

/** An interrupted try without a recorded end counts until the last log line of its agent. */
const GO_ON = `
  update turns set retry_at = null, waits_for = null, given_at = :nowMs, going_since = :nowMs,
    spent_ms = spent_ms + coalesce(max(0, (
      select at from log_lines where log_lines.task = turns.task and turn = n
      order by seq desc limit 1) - going_since), 0)
  where task = :task and n = :n`

const USE = `
  update sessions set used_at = :nowMs
  where id = (select session from turns where task = :task and n = :n)`

/**
 * Records that the agent got a turn's prompt.
 *
 * Safe to repeat: a turn that is repeated after a crash keeps its first start. Event `turn.began`.
 */
export function beginTurn(db: Db, { task, n }: Pick<Turn, "task" | "n">, nowMs: number): void {
  transaction(db, () => {
    sql(db, GO_ON).run({ task, n, nowMs })
    if (sql(db, BEGIN).run({ task, n, nowMs }) === 0) return
    sql(db, USE).run({ task, n, nowMs })
    appendEvent(db, { type: "turn.began", task, data: { n } }, nowMs)
  })
}

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
