/** Sums the usage of turns. */
import type { TaskId } from "../../core/ids.ts"
import { addUsage } from "../../core/usage.ts"
import { Usage } from "../../core/wire.ts"
import type { Db } from "../open.ts"
import { type SqlRow, sql } from "../sql.ts"

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
