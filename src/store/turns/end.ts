/** Ends a turn: the agent stopped. */
import type { Usage } from "../../core/wire.ts"
import { appendEvent } from "../events/append.ts"
import type { Db } from "../open.ts"
import { sql, transaction } from "../sql.ts"
import { setMessage } from "../tasks/set-message.ts"
import { noteUsage } from "./note-usage.ts"
import type { Turn } from "./row.ts"

export type TurnResult = {
  readonly usage: Usage
  /** The last message of the agent; null keeps that of an earlier turn. */
  readonly message: string | null
}

const IS_OPEN = "select 1 from turns where task = :task and n = :n and ended_at is null"
const END = "update turns set ended_at = :nowMs where task = :task and n = :n"

/** @returns false, and changes nothing, if the turn had ended already. Event `turn.ended`. */
export function endTurn(
  db: Db,
  { task, n }: Pick<Turn, "task" | "n">,
  { usage, message }: TurnResult,
  nowMs: number,
): boolean {
  return transaction(db, () => {
    if (sql(db, IS_OPEN).find({ task, n }) === undefined) return false
    const all = noteUsage(db, { task, n }, usage)
    sql(db, END).run({ task, n, nowMs })
    if (message !== null) setMessage(db, task, message)
    appendEvent(db, { type: "turn.ended", task, data: { n, usage: all } }, nowMs)
    return true
  })
}
