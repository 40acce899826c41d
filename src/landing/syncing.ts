/**
 * Brings the worktree to the candidate, so that the gate runs in the agent's own environment.
 *
 * Only here and in the gate does Coppice change an agent's worktree: its task is merging, so no
 * turn runs, the task's lock is held, and everything in it is in the snapshot. What git would
 * overwrite without asking (ignored files) is rescued first. Skipped where no gate has to run.
 */
import { assert } from "../core/assert.ts"
import { branchRef, type Oid } from "../core/ids.ts"
import { readTree } from "../git/read-tree.ts"
import { readCommit } from "../git/rev-parse.ts"
import { updateRef } from "../git/update-ref.ts"
import type { LandingRepo } from "../store/landings/row.ts"
import { clearCollisions } from "../workspaces/collisions.ts"
import { type Action, type LandingStep, type Outcome, taskRepo } from "./action.ts"
import { blocked } from "./blocked.ts"
import { planGate } from "./gate-plan.ts"
import { isDirty, restore } from "./restore.ts"
import { LOCKED_LOOK_AGAIN_MS } from "./settings.ts"
import { lookAtCheckout } from "./target-checkout.ts"

export const syncing: Action = async (step) => {
  const gated = []
  for (const repo of step.landing.repos) {
    const plan = await planGate(step, repo)
    if (plan.kind === "run") gated.push({ repo, worktree: plan.worktree })
  }
  if (gated.length === 0) return { event: "synced" }
  for (const { path, target, base, candidate } of step.landing.repos) {
    assert(base && candidate, "a landing that syncs has candidates")
    const look = await lookAtCheckout(path, { target, from: base, to: candidate })
    if (look.kind === "inTheWay") return blocked(step, "DIRTY_MAIN", look)
  }
  for (const { repo, worktree } of gated) {
    const outcome = await sync(step, repo, worktree)
    if (outcome) return outcome
  }
  return { event: "synced" }
}

/** @returns undefined when the worktree stands at the candidate. */
async function sync(
  step: LandingStep,
  repo: LandingRepo,
  worktree: string,
): Promise<Outcome | undefined> {
  const { head, candidate } = repo
  assert(head && candidate, "a landing that syncs has a head and a candidate")
  const { branch, placed } = taskRepo(step, repo)
  assert(branch, "a task with a worktree has a branch")
  const at = await readCommit(worktree, branchRef(branch))
  if (at === candidate) {
    await restore(step, repo, { worktree, to: candidate }) // an earlier try may have got half way
    return undefined
  }
  if (at !== head || (await isDirty(worktree, placed))) return movedOn(branch)
  await clearCollisions(worktree, { task: step.task.id, from: head, to: candidate })
  // The branch first: its compare-and-swap is what notices a late commit, before any file changes.
  const reason = `coppice: candidate of landing ${step.landing.id}`
  const moved = await updateRef(worktree, {
    ref: branchRef(branch),
    from: head,
    to: candidate,
    reason,
  })
  if (moved.kind === "stale") return movedOn(branch)
  if (moved.kind === "locked") return locked(step, branch)
  return move(step, { worktree, from: head, to: candidate, branch })
}

async function move(
  step: LandingStep,
  { worktree, from, to, branch }: { worktree: string; from: Oid; to: Oid; branch: string },
): Promise<Outcome | undefined> {
  const read = await readTree(worktree, { from, to })
  if (read.kind === "done") return undefined
  const ref = branchRef(branch)
  await updateRef(worktree, { ref, from: to, to: from, reason: "coppice: put back" })
  if (read.kind === "locked") return locked(step, branch)
  return movedOn(branch)
}

/** Somebody changed the worktree after the snapshot: what they did belongs into the next one. */
const movedOn = (branch: string): Outcome => ({
  event: "moved",
  reason: `${branch} changed after its snapshot was taken`,
})

function locked({ context }: LandingStep, branch: string): Outcome {
  const wakeAtMs = context.world.nowMs() + LOCKED_LOOK_AGAIN_MS
  return {
    event: "blocked",
    outcome: "LOCKED",
    reason: `git's lock on ${branch} is held`,
    wakeAtMs,
  }
}
