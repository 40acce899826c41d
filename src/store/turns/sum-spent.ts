/** Sums the spending of turns: for a job, or for the whole home since a time. */
import { type Spent, tokensOf } from "../../core/budget.ts"
import type { JobId } from "../../core/ids.ts"
import { Usage } from "../../core/wire.ts"
import type { Db } from "../open.ts"
import { type SqlRow, sql } from "../sql.ts"

const COLUMNS =
  "begun_at as begunAtMs, going_since as goingSinceMs, ended_at as endedAtMs, spent_ms as spentMs, usage"
const OF_JOB = `select ${COLUMNS} from turns where job = :job`
const SINCE = `select ${COLUMNS} from turns where coalesce(ended_at, given_at) >= :sinceMs`

/** Interrupted tries count while their turn is open. */
export function sumSpentOfJob(db: Db, job: JobId): Spent {
  return sum(sql(db, OF_JOB).list({ job }))
}

/** Counts turns that ended at `sinceMs` or later, or last went to an agent then. */
export function sumSpentSince(db: Db, sinceMs: number): Spent {
  return sum(sql(db, SINCE).list({ sinceMs }))
}

function sum(rows: readonly SqlRow[]): Spent {
  const spent = { turns: 0, timeMs: 0, tokens: 0, costUsd: 0 }
  for (const { begunAtMs, goingSinceMs, endedAtMs, spentMs, usage } of rows) {
    if (begunAtMs !== null && endedAtMs !== null) spent.turns += 1
    spent.timeMs += Number(spentMs) // pauses and waits for the model do not count
    if (goingSinceMs !== null && endedAtMs !== null)
      spent.timeMs += Math.max(0, Number(endedAtMs) - Number(goingSinceMs))
    if (usage === null) continue
    const used = Usage.parse(JSON.parse(String(usage)))
    spent.tokens += tokensOf(used)
    spent.costUsd += used.costUsd ?? 0
  }
  return spent
}
