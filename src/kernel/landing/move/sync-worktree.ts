/** Brings a task's worktree and branch from its snapshot to its candidate. */
import { assert } from "../../../base/assert.ts"
import { branchRef, type Oid, type RefName } from "../../../base/ids.ts"
import { readHead } from "../../git/ask/head.ts"
import { readCommit } from "../../git/ask/rev-parse.ts"
import { isWorktreeOf } from "../../git/ask/worktree-of.ts"
import { updateRef } from "../../git/change/update-ref.ts"
import { type Outcome, type Refs, type Rows, type Step, taskRepo } from "../action.ts"
import { isDirty } from "../gate/restore-worktree.ts"
import type { LandingRepo } from "../rows/row.ts"
import { movedOn, moveWorktree } from "./move-worktree.ts"

/** @returns undefined if worktree and branch are at the candidate. */
export async function syncWorktree(
  step: Step<Rows & Refs>,
  repo: LandingRepo,
  worktree: string,
): Promise<Outcome | undefined> {
  const { head, candidate } = repo
  const recorded = taskRepo(step, repo)
  const { branch } = recorded
  assert(head && candidate && branch, "a landing that syncs has a branch, a head and a candidate")
  if (!(await isWorktreeOf(worktree, repo.path))) return movedOn(branch) // the next snapshot reports it
  const at = await readHead(worktree)
  const isDetached = at.kind === "detached"
  const ref = isDetached ? ("HEAD" as RefName) : at.ref
  const tip = await readCommit(worktree, branchRef(branch))
  if (!at.commit || (!isDetached && ref !== branchRef(branch))) return movedOn(branch)
  if ((tip !== head && tip !== candidate) || (await isDirty(worktree, recorded)))
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
