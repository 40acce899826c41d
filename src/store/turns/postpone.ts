/** Postpones an open turn whose model or folder is unavailable. */
import { appendEvent } from "../events/append.ts"
import type { Db } from "../open.ts"
import { sql, transaction } from "../sql.ts"
import type { Turn } from "./row.ts"

const IS_NEWS = `
  select 1 from turns where task = :task and n = :n and waits_for is not :text`
const POSTPONE = `
  update turns set retry_at = :atMs, waits_for = :text, failures = failures + :failed,
    insisted = 0
  where task = :task and n = :n and ended_at is null`

export type Postponement = {
  /** Time of the next try. */
  readonly atMs: number
  /** The reason of the wait; continues a sentence. */
  readonly text: string
  /** Whether it counts as a failed try. */
  readonly isFailure: boolean
}

/** Event `turn.postponed`. @returns false if the turn has ended. */
export function postponeTurn(
  db: Db,
  { task, n }: Pick<Turn, "task" | "n">,
  { atMs, text, isFailure }: Postponement,
  nowMs: number,
): boolean {
  return transaction(db, () => {
    const failed = isFailure ? 1 : 0
    const isNews = sql(db, IS_NEWS).find({ task, n, text }) !== undefined || isFailure
    if (sql(db, POSTPONE).run({ task, n, atMs, text, failed }) === 0) return false
    if (!isNews) return true // checked again, without a change
    appendEvent(db, { type: "turn.postponed", task, data: { n, until: atMs, text } }, nowMs)
    return true
  })
}
