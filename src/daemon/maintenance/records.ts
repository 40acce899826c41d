/**
 * Forgets what is on record of tasks that have been over for longer than the retention: logs,
 * events, sessions with their turns, and results of gates. The tasks themselves stay.
 *
 * One small transaction after another, and whoever waits has a turn between two: a daemon with a
 * hundred thousand rows to delete answers as ever. The file does not shrink; SQLite fills it anew.
 */
import { setImmediate as turn } from "node:timers/promises"
import { deleteEvents, deleteGateResults } from "../../store/retention/delete-of-fleet.ts"
import { deleteOfTask } from "../../store/retention/delete-of-task.ts"
import { scanTasks, type TaskScan } from "../../store/retention/scan-tasks.ts"
import type { MaintenanceContext } from "./context.ts"

type RecordsContext = Pick<MaintenanceContext, "db" | "world" | "config">

/** How many tasks would be forgotten. */
export async function countOldTasks(context: RecordsContext): Promise<number> {
  let count = 0
  for await (const found of pages(context)) count += found.length
  return count
}

/** @returns how many rows were deleted. */
export async function forgetOldRecords(
  context: RecordsContext,
  signal: AbortSignal,
): Promise<number> {
  const { db, world } = context
  const { before, sessions } = limits(context)
  let deleted = 0
  const all = async (next: () => number): Promise<void> => {
    for (let n = 1; n > 0 && !signal.aborted; deleted += n) {
      n = next()
      await turn()
    }
  }
  for await (const tasks of pages(context)) {
    for (const task of tasks)
      await all(() => deleteOfTask(db, { task, before, sessions }, world.nowMs()))
    if (signal.aborted) return deleted
  }
  let after: number | undefined = 0
  while (after !== undefined && !signal.aborted) {
    const page = deleteEvents(db, { after, before }, world.nowMs())
    deleted += page.deleted
    after = page.last
    await turn()
  }
  await all(() => deleteGateResults(db, before))
  return deleted
}

async function* pages(context: RecordsContext) {
  const { before, sessions } = limits(context)
  let after: number | undefined = 0
  while (after !== undefined) {
    const { found, last } = scanTasks(context.db, { after, before, sessions })
    yield found
    after = last
    await turn()
  }
}

function limits({ config, world }: RecordsContext): Omit<TaskScan, "after"> {
  const { retentionMs, sessions } = config().maintenance
  return { before: world.nowMs() - retentionMs, sessions: sessions.enabled }
}
