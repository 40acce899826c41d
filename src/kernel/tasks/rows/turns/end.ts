/** Records the end of a turn, or of one try of it. */
import type { Usage } from "../../../../api/wire/tasks.ts"
import { appendEvent } from "../../../store/events.ts"
import type { Db } from "../../../store/open.ts"
import { sql, transaction } from "../../../store/sql.ts"
import { setMessage } from "../texts.ts"
import type { Turn } from "./find.ts"
import { noteUsage } from "./usage.ts"

export type TurnResult = {
  readonly usage: Usage
  /** The last message of the agent; null keeps that of an earlier turn. */
  readonly message: string | null
}

const IS_OPEN = "select 1 from turns where task = :task and n = :n and ended_at is null"
const END = "update turns set ended_at = :nowMs, message = :message where task = :task and n = :n"

/** @returns false, and changes nothing, if the turn had ended already. Event `turn.ended`. */
export function closeTurn(
  db: Db,
  { task, n }: Pick<Turn, "task" | "n">,
  { usage, message }: TurnResult,
  nowMs: number,
): boolean {
  return transaction(db, () => {
    if (sql(db, IS_OPEN).find({ task, n }) === undefined) return false
    const all = noteUsage(db, { task, n }, usage)
    sql(db, END).run({ task, n, message, nowMs })
    if (message !== null) setMessage(db, task, message)
    appendEvent(db, { type: "turn.ended", task, data: { n, usage: all } }, nowMs)
    return true
  })
}

const INTERRUPT = `
  update turns set spent_ms = spent_ms + max(0, :nowMs - going_since), going_since = null
  where task = :task and session = :session and ended_at is null and going_since is not null`

/**
 * Records that a try of an open turn is over, and its duration.
 *
 * For the current turn of the session. Safe to repeat; does nothing for an ended turn.
 */
export function interruptTurn(
  db: Db,
  { task, session }: Pick<Turn, "task" | "session">,
  nowMs: number,
): void {
  sql(db, INTERRUPT).run({ task, session, nowMs })
}

const DECLARE = `
  update turns set declared = :summary where task = :task and n = :n and ended_at is null`

/** The latest summary counts. @returns false if the turn has ended. Event `turn.declared`. */
export function declareDone(
  db: Db,
  { task, n }: Pick<Turn, "task" | "n">,
  summary: string,
  nowMs: number,
): boolean {
  return transaction(db, () => {
    if (sql(db, DECLARE).run({ task, n, summary }) === 0) return false
    setMessage(db, task, summary)
    appendEvent(db, { type: "turn.declared", task, data: { n, summary } }, nowMs)
    return true
  })
}
