/** Ends a turn: the agent stopped. */
import type { Usage } from "../../core/wire.ts"
import { appendEvent } from "../events/append.ts"
import type { Db } from "../open.ts"
import { sql, transaction } from "../sql.ts"
import { setMessage } from "../tasks/set-message.ts"
import type { Turn } from "./row.ts"

export type TurnResult = {
  readonly usage: Usage
  /** The last thing the agent said; null keeps what it said in an earlier turn. */
  readonly message: string | null
}

const END = `
  update turns set ended_at = :nowMs, usage = :usage
  where task = :task and n = :n and ended_at is null`

/** @returns false when the turn had ended already; nothing changes then. Event `turn.ended`. */
export function endTurn(
  db: Db,
  { task, n }: Pick<Turn, "task" | "n">,
  { usage, message }: TurnResult,
  nowMs: number,
): boolean {
  return transaction(db, () => {
    const ended = sql(db, END).run({ task, n, nowMs, usage: JSON.stringify(usage) }) === 1
    if (!ended) return false
    if (message !== null) setMessage(db, task, message)
    appendEvent(db, { type: "turn.ended", task, data: { n, usage } }, nowMs)
    return true
  })
}
