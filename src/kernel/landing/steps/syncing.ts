/**
 * Moves the worktree to the candidate, so that the gate runs in the agent's own environment.
 *
 * Coppice changes an agent's worktree only here, in the gate and in `restacking`. The task is merging, so no turn
 * runs. We hold the task's lock, and the snapshot has all changes. Ignored files that git would
 * overwrite are rescued first. Skipped if no gate has to run, or if it runs in a disposable
 * worktree.
 */
import { assert } from "../../../base/assert.ts"
import { passed } from "../../../features/alternatives/alternatives.ts"
import type { Action, Configured, Refs, Rows } from "../action.ts"
import { blocked } from "../blocked.ts"
import { isGreen, planGate } from "../gate/gate-plan.ts"
import { listToPublish } from "../landing-repos.ts"
import { mendLeft } from "../move/mend-left.ts"
import { putBack } from "../move/move-worktree.ts"
import { syncWorktree } from "../move/sync-worktree.ts"
import { lookAtCheckout } from "../move/target-checkout.ts"

export const syncing: Action<Rows & Refs & Configured> = async (step) => {
  const gated = []
  let isSettled = true
  let runs = false
  for (const repo of listToPublish(step.landing)) {
    const waits = await mendLeft(step, repo)
    if (waits) return waits
    const plan = await planGate(step, repo)
    runs ||= plan.kind === "run"
    if (plan.kind === "run" && plan.worktree) gated.push({ repo, worktree: plan.worktree })
    isSettled &&= plan.kind === "none" || (plan.kind === "remembered" && isGreen(plan))
  }
  if (isSettled) return await passed(step) // no gate runs, so no worktree moves
  if (!runs) return { event: "synced" }
  for (const { path, target, base, candidate } of listToPublish(step.landing)) {
    assert(base && candidate, "a landing that syncs has candidates")
    const look = await lookAtCheckout(path, { target, from: base, to: candidate }, step.held)
    if (look.kind === "inTheWay") return blocked(step, "DIRTY_MAIN", look)
  }
  for (const { repo, worktree } of gated) {
    const outcome = await syncWorktree(step, repo, worktree)
    if (!outcome) continue
    await putBack(
      step,
      gated.map((one) => one.repo),
    )
    return outcome
  }
  return { event: "synced" }
}
