/**
 * Moves the worktree to the candidate, so that the gate runs in the agent's own environment. With
 * several repositories each worktree moves, since a gate may look into the others.
 *
 * Coppice changes an agent's worktree only here, in the gate and in `restacking`. The task is merging, so no turn
 * runs. We hold the task's lock, and the snapshot has all changes. Ignored files that git would
 * overwrite are rescued first. Skipped if no gate has to run, or if it runs in a disposable
 * worktree.
 */
import { assert } from "../../../base/assert.ts"
import { passed } from "../../../features/alternatives/alternatives.ts"
import type { Action, Configured, Refs, Rows } from "../action.ts"
import { chooseGate, findGatePlace, type GateChoice, isGreen } from "../gate/choose-gate.ts"
import { listToPublish } from "../landing-repos.ts"
import { mendLeft } from "../move/mend-left.ts"
import { putBack } from "../move/move-worktree.ts"
import { syncWorktree } from "../move/sync-worktree.ts"
import { lookAtCheckout } from "../move/target-checkout.ts"
import { blocked } from "../waiting-outcomes.ts"

export const syncing: Action<Rows & Refs & Configured> = async (step) => {
  const repos = listToPublish(step.landing)
  const plans = []
  for (const repo of repos) {
    const waits = await mendLeft(step, repo)
    if (waits) return waits
    plans.push({ repo, choice: await chooseGate(step, repo) })
  }
  // No gate runs, so no worktree moves.
  if (plans.every(({ choice }) => isSettled(choice))) return await passed(step)
  const running = plans.flatMap(({ choice }) => (choice.kind === "run" ? [choice] : []))
  if (running.length === 0) return { event: "synced" }
  for (const { path, target, base, candidate } of repos) {
    assert(base && candidate, "a landing that syncs has candidates")
    const look = await lookAtCheckout(path, { target, from: base, to: candidate }, step.held)
    if (look.kind === "inTheWay") return blocked(step, "DIRTY_MAIN", look)
  }
  if (running.every(({ worktree }) => worktree === null)) return { event: "synced" }
  for (const { repo, choice } of plans) {
    const worktree = choice.kind === "run" ? choice.worktree : await findGatePlace(step, repo)
    const outcome = worktree === null ? undefined : await syncWorktree(step, repo, worktree)
    if (!outcome) continue
    await putBack(step, repos)
    return outcome
  }
  return { event: "synced" }
}

const isSettled = (choice: GateChoice): boolean =>
  choice.kind === "none" || (choice.kind === "remembered" && isGreen(choice))
