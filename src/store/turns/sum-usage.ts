/** Sums what a task's turns used. */
import type { TaskId } from "../../core/ids.ts"
import type { Usage } from "../../core/wire.ts"
import type { Db } from "../open.ts"
import { listTurns } from "./list.ts"

const NOTHING: Usage = {
  turns: 0,
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  costUsd: null,
}

/** The cost is that of the turns whose cost is known; null where none is. */
export function sumUsage(db: Db, task: TaskId): Usage {
  const usages = listTurns(db, task).flatMap(({ usage }) => usage ?? [])
  return usages.reduce(
    (sum, usage) => ({
      turns: sum.turns + usage.turns,
      inputTokens: sum.inputTokens + usage.inputTokens,
      outputTokens: sum.outputTokens + usage.outputTokens,
      cacheReadTokens: sum.cacheReadTokens + usage.cacheReadTokens,
      cacheWriteTokens: sum.cacheWriteTokens + usage.cacheWriteTokens,
      costUsd: usage.costUsd === null ? sum.costUsd : (sum.costUsd ?? 0) + usage.costUsd,
    }),
    NOTHING,
  )
}
