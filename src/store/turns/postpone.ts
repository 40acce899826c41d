/** Puts an open turn off: what it needs is not to be had now. */
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
  /** When it is tried again. */
  readonly atMs: number
  /** What it waits for; a sentence goes on with it. */
  readonly text: string
  /** Whether it counts as a try that failed. */
  readonly isFailure: boolean
}

/** Event `turn.postponed`. @returns false when the turn has ended. */
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
    if (!isNews) return true // looked at again, and found as it was
    appendEvent(db, { type: "turn.postponed", task, data: { n, until: atMs, text } }, nowMs)
    return true
  })
}
