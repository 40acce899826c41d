/** Moves an agent's worktree and branch from one commit of its landing to another. */
import { existsSync } from "node:fs"
import { branchOf, branchRef } from "../../../base/ids.ts"
import { readHead } from "../../git/ask/head.ts"
import { listRefLocks } from "../../git/ask/ref-lock.ts"
import { isWorktreeOf } from "../../git/ask/worktree-of.ts"
import { findIndexLock } from "../../git/change/own-index.ts"
import { clearCollisions } from "../../workspaces/colliding-files.ts"
import { recordRescued } from "../../workspaces/rows/rescues.ts"
import { type Outcome, ownerOf, type Refs, type Rows, type Step, taskRepo } from "../action.ts"
import { isDirty } from "../gate/restore-worktree.ts"
import { recordIntent } from "../rows/record.ts"
import type { LandingRepo } from "../rows/row.ts"
import { locked } from "../waiting-outcomes.ts"
import { advanceBranch, type Intent } from "./advance-branch.ts"
import { mendLeft } from "./mend-left.ts"

/** @returns undefined if branch and files are at `intent.to`. */
export async function moveWorktree(
  step: Step<Rows & Refs>,
  repo: LandingRepo,
  intent: Intent & { readonly checkout: string },
): Promise<Outcome | undefined> {
  const { context, landing } = step
  const { checkout, from, to, ref } = intent
  recordRescued(step.context, step.task.id, [
    await clearCollisions(checkout, { owner: ownerOf(step), from, to }),
  ])
  const record = (now: Intent | null) => recordIntent(context.db, landing, repo.name, now)
  const reason = `coppice: candidate of landing ${landing.id}`
  const { world } = context
  const advanced = await advanceBranch({ repo: repo.path, intent, reason, world, record })
  if (advanced.kind === "refused") {
    const waits = await mendLeft(step, repo)
    return waits ?? failed(`git refuses to bring ${checkout} to the candidate: ${advanced.said}`)
  }
  record(null)
  if (advanced.kind === "advanced") return undefined
  if (advanced.kind === "moved") return movedOn(branchOf(ref))
  const index = await findIndexLock(checkout)
  const paths = index ? [index] : await listRefLocks(checkout, ref)
  return locked(step, paths, `in ${checkout}`)
}

/**
 * Moves worktrees from their candidate back to their head, because the landing stops for now. A
 * worktree that cannot move stays, and the next snapshot takes its candidate.
 *
 * @returns why the last of them stays.
 */
export async function putBack(
  step: Step<Rows & Refs>,
  repos: readonly LandingRepo[],
): Promise<Outcome | undefined> {
  let stays: Outcome | undefined
  for (const repo of repos) {
    const { head, candidate } = repo
    const recorded = taskRepo(step, repo)
    const { worktree, branch } = recorded
    if (!head || !candidate || head === candidate || !worktree || !branch) continue
    if (step.task.strategy === null || !existsSync(worktree)) continue
    if (!(await isWorktreeOf(worktree, repo.path))) continue
    const at = await readHead(worktree)
    const isAtCandidate = at.kind === "branch" && at.ref === branchRef(branch)
    if (!isAtCandidate || at.commit !== candidate || (await isDirty(worktree, recorded))) continue
    const back = { ref: at.ref, checkout: worktree, from: candidate, to: head }
    stays = (await moveWorktree(step, repo, back)) ?? stays
  }
  return stays
}

/** The worktree changed after the snapshot: the changes belong in the next one. */
export const movedOn = (branch: string): Outcome => ({
  event: "moved",
  reason: `${branch} changed after its snapshot was taken`,
})

const failed = (reason: string): Outcome => ({ event: "failed", outcome: "WORKTREE_ERROR", reason })
