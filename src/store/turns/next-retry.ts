/** Finds the time at which the next postponed turn is due. */
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"

const NEXT = "select min(retry_at) as atMs from turns where ended_at is null and retry_at > :nowMs"

export function findNextRetry(db: Db, nowMs: number): number | undefined {
  const { atMs } = sql(db, NEXT).read({ nowMs }) as { atMs: number | null }
  return atMs ?? undefined
}
