/**
 * Deletes a task: what it has in its repositories, after saving its work, then its record.
 *
 * The request is on record and the task keeps its state, so after a crash all of this runs again.
 * If the worktree cannot be removed, the task goes on as before, and an event gives the reason.
 */

import { AppError, isTransient } from "../../base/errors.ts"
import type { TaskId } from "../../base/ids.ts"
import { endReport } from "../../features/sub-tasks/prompts.ts"
import { reportEnd } from "../../features/sub-tasks/rows.ts"
import { findLandingOfTask } from "../landing/rows/find.ts"
import { resubmitPaused } from "../landing/rows/record.ts"
import { isLanding } from "../landing/rules/landing-states.ts"
import { isRunnable } from "../landing/rules.ts"
import { listProcesses } from "../store/processes.ts"
import { transaction } from "../store/sql.ts"
import { type Cleaned, type CleaningContext, cleanTask } from "./clean-task.ts"
import { recordDeletionFailed, removeTask } from "./rows/deletion.ts"
import { findTask } from "./rows/find.ts"
import type { Task } from "./rows/row.ts"

const REASON = "its task was deleted"

/** Retried when the task's processes have ended and its landing has left the queue. */
export async function deleteTask(
  context: CleaningContext,
  id: TaskId,
  signal: AbortSignal,
): Promise<void> {
  const { db, world } = context
  if (listProcesses(db).some(({ task }) => task === id)) return
  const landing = findLandingOfTask(db, id)
  if (landing && isRunnable(landing.state)) return
  await context.taskLock.hold(id, async () => {
    const task = findTask(db, id)
    if (!task?.deletion) return
    const { kept, failed } = await clean(context, task, signal)
    await world.point("delete: removed")
    const nowMs = world.nowMs()
    transaction(db, () => {
      if (failed.length === 0) forget(context, task, kept)
      else {
        recordDeletionFailed(db, task, failed.join(" "), nowMs)
        if (isLanding(task.state)) resubmitPaused(db, id, nowMs)
      }
    })
  })
}

function forget(
  { db, world, workspaces }: CleaningContext,
  task: Task,
  kept: readonly string[],
): void {
  if (task.deletion === "keep")
    for (const { worktree } of task.repos) if (worktree !== null) workspaces.disown(worktree)
  const nowMs = world.nowMs()
  const end = "A person deleted it before it ended."
  reportEnd(db, task, endReport({ ...task, end, lastMessage: null }), nowMs)
  removeTask(db, task, kept, nowMs)
}

async function clean(context: CleaningContext, task: Task, signal: AbortSignal): Promise<Cleaned> {
  const isKept = task.deletion === "keep"
  const objection = isKept ? "Its worktree and branch are kept, as requested." : undefined
  try {
    return await cleanTask(context, task, { reason: REASON, objection, signal })
  } catch (error) {
    if (signal.aborted) throw error // the daemon is stopping; the next one continues
    if (!(error instanceof AppError) || error.blame === "bug" || isTransient(error)) throw error
    return { kept: [], failed: [error.message] }
  }
}
