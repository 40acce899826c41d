/** Sums what turns have spent: of a job, or of the whole home since a moment. */
import { type Spent, tokensOf } from "../../core/budget.ts"
import type { JobId } from "../../core/ids.ts"
import { Usage } from "../../core/wire.ts"
import type { Db } from "../open.ts"
import { type SqlRow, sql } from "../sql.ts"

/** Since it was last given: neither a pause nor a wait for its model is work. */
const COLUMNS = "coalesce(given_at, begun_at) as begunAtMs, ended_at as endedAtMs, usage"
const OF_JOB = `
  select ${COLUMNS} from turns where job = :job and ended_at is not null`
const SINCE = `select ${COLUMNS} from turns where ended_at >= :sinceMs`

export function sumSpentOfJob(db: Db, job: JobId): Spent {
  return sum(sql(db, OF_JOB).list({ job }))
}

/** By turns that ended at `sinceMs` or later. */
export function sumSpentSince(db: Db, sinceMs: number): Spent {
  return sum(sql(db, SINCE).list({ sinceMs }))
}

function sum(rows: readonly SqlRow[]): Spent {
  const spent = { turns: 0, timeMs: 0, tokens: 0, costUsd: 0 }
  for (const { begunAtMs, endedAtMs, usage } of rows) {
    spent.turns += 1
    if (begunAtMs !== null) spent.timeMs += Number(endedAtMs) - Number(begunAtMs)
    if (usage === null) continue
    const used = Usage.parse(JSON.parse(String(usage)))
    spent.tokens += tokensOf(used)
    spent.costUsd += used.costUsd ?? 0
  }
  return spent
}
