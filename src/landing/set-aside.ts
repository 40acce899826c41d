/**
 * Takes the landing of a task that is paused, or is to be deleted, out of its queue.
 *
 * Its action has been ended at a safe point by then. The worktree is brought back to the snapshot
 * first, without what a gate left: a person may look into it, and the landing that is submitted
 * again takes what is there for work.
 */
import { existsSync } from "node:fs"
import { readCommit } from "../git/repository/rev-parse.ts"
import { isWorktreeOf } from "../git/worktrees/worktree-of.ts"
import type { Landing } from "../store/landings/row.ts"
import type { Task } from "../store/tasks/row.ts"
import { type LandingStep, type Outcome, taskRepo } from "./action.ts"
import { isCancellable } from "./cancellable.ts"
import { removeTree } from "./gate/fresh-tree.ts"
import { restore } from "./gate/restore.ts"
import { mendLeft } from "./move/mend-left.ts"
import { putBack } from "./move/move-worktree.ts"
import { listToPublish } from "./open-repos.ts"

/** Whether the landing is to go no further for now; what may have been published goes on. */
export function isHalted({ state, deletion }: Task, landing: Landing): boolean {
  return (state === "paused" || deletion !== null) && isCancellable(landing)
}

export async function setAside(step: LandingStep): Promise<Outcome> {
  const { landing } = step
  for (const repo of landing.repos) {
    const waits = await mendLeft(step, repo)
    if (waits) return waits // and is set aside when it wakes
    await removeTree(step, repo)
  }
  if (landing.state === "gating" && step.task.agent !== null)
    for (const repo of listToPublish(landing)) await restoreCandidate(step, repo)
  if (landing.state === "gating" || landing.state === "syncing")
    await putBack(step, listToPublish(landing))
  return { event: "paused", outcome: null, reason: null, details: null, wakeAtMs: null }
}

/** Only where the worktree stands at what was being tested: anything else is no gate's. */
async function restoreCandidate(
  step: LandingStep,
  repo: LandingStep["landing"]["repos"][number],
): Promise<void> {
  const { worktree } = taskRepo(step, repo)
  if (!worktree || !existsSync(worktree) || !(await isWorktreeOf(worktree, repo.path))) return
  if ((await readCommit(worktree, "HEAD")) === repo.candidate)
    await restore(step, repo, { worktree })
}
