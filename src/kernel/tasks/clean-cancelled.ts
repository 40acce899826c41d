/**
 * Removes what a cancelled task, or a review that has ended, leaves, after saving its work.
 *
 * One event records how the clean-up ended. Such a task without that event still needs
 * cleaning, so after a crash all of this runs again.
 */
import { assert } from "../../base/assert.ts"
import type { TaskId } from "../../base/ids.ts"
import { appendEvent } from "../store/events.ts"
import { listProcesses } from "../store/processes.ts"
import { type CleaningContext, cleanTask } from "./clean-task.ts"
import { findTask } from "./rows/find.ts"
import { KEPT_EVENT, REMOVED_EVENT } from "./rows/list-due.ts"
import type { Task } from "./rows/row.ts"

const REASON = "its cancelled task was cleaned up"
const REASON_OF_REVIEW = "its review has ended"

/** @param signal interrupts the clean-up; a later run repeats all of it. */
export async function cleanCancelled(
  context: CleaningContext,
  id: TaskId,
  signal: AbortSignal,
): Promise<void> {
  const { db, world } = context
  if (listProcesses(db).some(({ task }) => task === id)) return
  await context.taskLock.hold(id, async () => {
    const task = findTask(db, id) // a landing may have changed the row before we got the lock
    assert(task, "a task that was cancelled is there")
    const objection = task.agent === null ? undefined : findObjection(context, task)
    const reason = task.state === "complete" ? REASON_OF_REVIEW : REASON
    const { kept } = await cleanTask(context, task, { reason, objection, signal })
    const type = kept.length > 0 ? KEPT_EVENT : REMOVED_EVENT
    appendEvent(db, { type, task: id, data: { notices: kept } }, world.nowMs())
  })
}

/** Why the worktree and branch stay although nothing would be lost. */
function findObjection({ findAgent }: CleaningContext, task: Task): string | undefined {
  const { agent } = task
  const isFailure = task.state === "cancelled"
  const config = findAgent(task)
  if (!config)
    return `\`agents.${agent}\` is no longer in coppice.yml, so its \`workspace.keep\` is unknown.`
  const { keep, cleanupOnFailure } = config.workspace
  if (keep === "always" || (isFailure && keep === "on_failure"))
    return `\`workspace.keep\` of ${agent} is \`${keep}\`.`
  return cleanupOnFailure || !isFailure
    ? undefined
    : `\`workspace.cleanup_on_failure\` of ${agent} is off.`
}
