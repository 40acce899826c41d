/**
 * Takes the landing of a paused task, or of a task in deletion, out of its queue.
 *
 * Its action has stopped at a safe point by then. The worktree first returns to the snapshot,
 * without a gate's leftovers. A person may open it, and the next landing takes its content for
 * work.
 */

import type { Task } from "../tasks/rows/row.ts"
import { isHalted } from "../tasks/rules/duty.ts"
import type { Outcome, Step } from "./action.ts"
import { isCancellable } from "./cancellable.ts"
import { restoreCutOff } from "./gate/clean-cut-off.ts"
import { type FreshTrees, removeTree } from "./gate/fresh-tree.ts"
import { listToPublish } from "./landing-repos.ts"
import { mendLeft } from "./move/mend-left.ts"
import { putBack } from "./move/move-worktree.ts"
import type { Landing } from "./rows/row.ts"

/** Whether the landing must stop for now. A landing that may have published goes on. */
export function mustHalt(task: Task, landing: Landing): boolean {
  return isHalted(task) && isCancellable(landing)
}

export async function haltLanding(step: Step<FreshTrees>): Promise<Outcome> {
  const { landing } = step
  for (const repo of landing.repos) {
    const waits = await mendLeft(step, repo)
    if (waits) return waits // and leaves the queue when it wakes
    await removeTree(step, repo)
  }
  if (["gating", "snapshotting"].includes(landing.state) && step.task.agent !== null)
    for (const repo of listToPublish(landing)) await restoreCutOff(step, repo)
  if (["gating", "snapshotting", "syncing", "restacking"].includes(landing.state)) {
    const stays = await putBack(step, listToPublish(landing))
    if (stays?.event === "blocked") return stays
  }
  return { event: "paused", outcome: null, reason: null, details: null, wakeAtMs: null }
}
