/**
 * Deletes the records of tasks that ended longer ago than the retention: logs, events, sessions
 * with their turns, and gate results. The tasks themselves stay.
 *
 * The transactions are small, and others run in between: a daemon stays responsive while it deletes
 * a hundred thousand rows. The file does not shrink; SQLite reuses its pages.
 */
import { setImmediate as turn } from "node:timers/promises"
import type { Judging } from "./clean-up-item.ts"
import {
  deleteEvents,
  deleteGateResults,
  deleteOfTask,
  scanTasks,
  type TaskScan,
} from "./rows/delete-old.ts"

type RecordsContext = Pick<Judging, "db" | "world" | "config">

/** How many tasks have records that would be deleted. */
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
