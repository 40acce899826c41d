/** The usage and the spending of turns. */

import { Usage } from "../../../../api/wire/tasks.ts"
import type { JobId, TaskId } from "../../../../base/ids.ts"
import type { Db } from "../../../store/open.ts"
import { type SqlRow, sql, transaction } from "../../../store/sql.ts"
import { type Spent, tokensOf } from "../../rules/budget.ts"
import { addUsage } from "../../rules/usage.ts"
import type { Turn } from "./find.ts"

const READ = "select usage from turns where task = :task and n = :n"
const NOTE = "update turns set usage = :usage where task = :task and n = :n"

/**
 * Also for an ended turn: an agent's `stuck` arrives before the figures of its program.
 *
 * @returns the usage of all tries of the turn so far.
 */
export function noteUsage(db: Db, { task, n }: Pick<Turn, "task" | "n">, usage: Usage): Usage {
  return transaction(db, () => {
    const earlier = sql(db, READ).find({ task, n })?.["usage"]
    const all = earlier ? addUsage(Usage.parse(JSON.parse(String(earlier))), usage) : usage
    sql(db, NOTE).run({ task, n, usage: JSON.stringify(all) })
    return all
  })
}

const OF_TASK = "select usage from turns where task = :task and usage is not null"
const OF_ALL = "select task, usage from turns where usage is not null"

const NOTHING: Usage = {
  turns: 0,
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  costUsd: null,
}

/** For a task's turns. Cost sums the turns of known cost; null if none is known. */
export function sumUsage(db: Db, task: TaskId): Usage {
  return sum(sql(db, OF_TASK).list({ task }))
}

/** The same for all tasks at once. */
export function sumAllUsage(db: Db): (task: TaskId) => Usage {
  const byTask = Map.groupBy(sql(db, OF_ALL).list(), (row) => row["task"])
  return (task) => sum(byTask.get(task) ?? [])
}

function sum(rows: readonly SqlRow[]): Usage {
  const usages = rows.map(({ usage }) => Usage.parse(JSON.parse(usage as string)))
  return usages.reduce(addUsage, NOTHING)
}

const COLUMNS =
  "begun_at as begunAtMs, going_since as goingSinceMs, ended_at as endedAtMs, spent_ms as spentMs, usage"
const OF_JOB = `select ${COLUMNS} from turns where job = :job`
const SINCE = `select ${COLUMNS} from turns where coalesce(ended_at, given_at) >= :sinceMs`

/**
 * Sums the spending of turns: for a job, or for the whole home since a time.
 *
 * Interrupted tries count while their turn is open.
 */
export function sumSpentOfJob(db: Db, job: JobId): Spent {
  return sumSpent(sql(db, OF_JOB).list({ job }))
}

/** Counts turns that ended at `sinceMs` or later, or last went to an agent then. */
export function sumSpentSince(db: Db, sinceMs: number): Spent {
  return sumSpent(sql(db, SINCE).list({ sinceMs }))
}

function sumSpent(rows: readonly SqlRow[]): Spent {
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
