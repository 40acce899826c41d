/**
 * Moves the worktree to the candidate, so that the gate runs in the agent's own environment.
 *
 * Coppice changes an agent's worktree only here and in the gate. The task is merging, so no turn
 * runs. We hold the task's lock, and the snapshot has all changes. Ignored files that git would
 * overwrite are rescued first. Skipped if no gate has to run, or if it runs in a disposable
 * worktree.
 */
import { assert } from "../../core/assert.ts"
import { branchRef, type Oid, type RefName } from "../../core/ids.ts"
import { readHead } from "../../git/ask/head.ts"
import { readCommit } from "../../git/ask/rev-parse.ts"
import { isWorktreeOf } from "../../git/ask/worktree-of.ts"
import { updateRef } from "../../git/change/update-ref.ts"
import type { LandingRepo } from "../../store/landings/row.ts"
import {
  type Action,
  type Configured,
  type Outcome,
  type Refs,
  type Rows,
  type Step,
  taskRepo,
} from "../action.ts"
import { blocked } from "../blocked.ts"
import { planGate } from "../gate/gate-plan.ts"
import { isDirty } from "../gate/restore.ts"
import { listToPublish } from "../landing-repos.ts"
import { mendLeft } from "../move/mend-left.ts"
import { movedOn, moveWorktree, putBack } from "../move/move-worktree.ts"
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
    isSettled &&= plan.kind === "none" || (plan.kind === "remembered" && plan.result.exitCode === 0)
  }
  if (isSettled) return { event: "passed" } // no gate runs, so no worktree moves
  if (!runs) return { event: "synced" }
  for (const { path, target, base, candidate } of listToPublish(step.landing)) {
    assert(base && candidate, "a landing that syncs has candidates")
    const look = await lookAtCheckout(path, { target, from: base, to: candidate })
    if (look.kind === "inTheWay") return blocked(step, "DIRTY_MAIN", look)
  }
  for (const { repo, worktree } of gated) {
    const outcome = await sync(step, repo, worktree)
    if (!outcome) continue
    await putBack(
      step,
      gated.map((one) => one.repo),
    )
    return outcome
  }
  return { event: "synced" }
}

/** @returns undefined if worktree and branch are at the candidate. */
async function sync(
  step: Step<Rows & Refs>,
  repo: LandingRepo,
  worktree: string,
): Promise<Outcome | undefined> {
  const { head, candidate } = repo
  const { branch, placed } = taskRepo(step, repo)
  assert(head && candidate && branch, "a landing that syncs has a branch, a head and a candidate")
  if (!(await isWorktreeOf(worktree, repo.path))) return movedOn(branch) // the next snapshot reports it
  const at = await readHead(worktree)
  const isDetached = at.kind === "detached"
  const ref = isDetached ? ("HEAD" as RefName) : at.ref
  const tip = await readCommit(worktree, branchRef(branch))
  if (!at.commit || (!isDetached && ref !== branchRef(branch))) return movedOn(branch)
  if ((tip !== head && tip !== candidate) || (await isDirty(worktree, placed)))
    return movedOn(branch)
  if (at.commit !== candidate) {
    const intent = { ref, checkout: worktree, from: at.commit, to: candidate }
    const outcome = await moveWorktree(step, repo, intent)
    if (outcome) return outcome
  }
  return isDetached && tip === head
    ? await followHead(worktree, { branch, head, candidate })
    : undefined
}

/** HEAD is detached. Its branch moves too, so that the next snapshot finds it there. */
async function followHead(
  worktree: string,
  { branch, head, candidate }: { branch: string; head: Oid; candidate: Oid },
): Promise<Outcome | undefined> {
  const move = { ref: branchRef(branch), from: head, to: candidate, reason: "coppice: candidate" }
  const { kind } = await updateRef(worktree, move)
  return kind === "moved" ? undefined : movedOn(branch)
}
