/** Records that an agent declares its work done. */
import { appendEvent } from "../events/append.ts"
import type { Db } from "../open.ts"
import { sql, transaction } from "../sql.ts"
import { setMessage } from "../tasks/set-message.ts"
import type { Turn } from "./row.ts"

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
