/** Postpones turns whose model or folder is unavailable. */
import type { TaskId } from "../../../../base/ids.ts"
import { appendEvent } from "../../../store/events.ts"
import type { Db } from "../../../store/open.ts"
import { sql, transaction } from "../../../store/sql.ts"
import type { Turn } from "./find.ts"

const IS_NEWS = `
  select 1 from turns where task = :task and n = :n and waits_for is not :text`
const POSTPONE = `
  update turns set retry_at = :atMs, retry_from = :nowMs, waits_for = :text, failures = failures + :failed,
    failing_since = case when :failed then coalesce(failing_since, :nowMs) else failing_since end,
    insisted = 0
  where task = :task and n = :n and ended_at is null`

export type Postponement = {
  readonly atMs: number
  /** The reason of the wait; continues a sentence. */
  readonly text: string
  /** Whether it counts as a failed try. */
  readonly isFailure: boolean
}

/**
 * Postpones an open turn whose model or folder is unavailable.
 *
 * Event `turn.postponed`. @returns false if the turn has ended.
 */
export function postponeTurn(
  db: Db,
  { task, n }: Pick<Turn, "task" | "n">,
  { atMs, text, isFailure }: Postponement,
  nowMs: number,
): boolean {
  return transaction(db, () => {
    const failed = isFailure ? 1 : 0
    const isNews = sql(db, IS_NEWS).find({ task, n, text }) !== undefined || isFailure
    if (sql(db, POSTPONE).run({ task, n, atMs, nowMs, text, failed }) === 0) return false
    if (!isNews) return true // checked again, without a change
    appendEvent(db, { type: "turn.postponed", task, data: { n, until: atMs, text } }, nowMs)
    return true
  })
}

const HASTEN = `
  update turns set retry_at = null, waits_for = null, failures = 0, failing_since = null, insisted = 1
  where task = :task and ended_at is null and retry_at is not null
  returning n`

/**
 * Makes a postponed turn due at once, because a person asked for it.
 *
 * Its tries count from zero again, and the known limit of its account does not postpone it again.
 *
 * Event `turn.hastened`. @returns false, and changes nothing, without a postponed turn.
 */
export function hastenTurn(db: Db, task: TaskId, nowMs: number): boolean {
  return transaction(db, () => {
    const row = sql(db, HASTEN).find({ task })
    if (!row) return false
    appendEvent(db, { type: "turn.hastened", task, data: { n: row["n"] } }, nowMs)
    return true
  })
}

const NEXT = "select min(retry_at) as atMs from turns where ended_at is null and retry_at > :nowMs"

export function findNextRetry(db: Db, nowMs: number): number | undefined {
  const { atMs } = sql(db, NEXT).read({ nowMs }) as { atMs: number | null }
  return atMs ?? undefined
}
