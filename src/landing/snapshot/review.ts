/**
 * Finds the commits of a snapshot that a person must still approve.
 *
 * An approval binds to commits (law 11): a head, and the base after which its commits are the
 * task's own. So a moved target needs no new approval, and an added commit does. Without anything
 * to land, no approval is needed.
 */

import type { Oid } from "../../core/ids.ts"
import { isAncestor, readDivergence } from "../../git/ask/merge-base.ts"
import { readCommit } from "../../git/ask/rev-parse.ts"
import { addApproval, listApprovedBases, type PendingApproval } from "../../store/approvals.ts"
import type { LandingRepo } from "../../store/landings/row.ts"
import { type Configured, type LandingContext, type Rows, type Step, taskRepo } from "../action.ts"
import { findBase } from "../candidate/base.ts"

type Snapshot = LandingRepo & { readonly head: Oid }

/**
 * Those of the heads that need an approval and have none, each with the base it is shown on.
 *
 * @param heads the snapshot, by name of the repository.
 * @param targets the targets' commits, by the same names; default: as they are now.
 */
export async function findUnapproved(
  step: Step<Rows & Configured>,
  heads: ReadonlyMap<string, Oid>,
  targets: ReadonlyMap<string, Oid> = new Map(),
): Promise<readonly PendingApproval[]> {
  const unapproved: PendingApproval[] = []
  for (const repo of step.landing.repos) {
    const { name, path } = repo
    const head = heads.get(name)
    if (!head || !needsApproval(step.context, step, repo)) continue
    const target = targets.get(name) ?? (await readCommit(path, repo.target))
    const base = await findOwnBase(step, { ...repo, head }, target)
    if (base === undefined || base === head) continue // preparing says what follows
    const approved = listApprovedBases(step.context.db, { task: step.task.id, name, head })
    if (!(await coversFrom(path, approved, base))) unapproved.push({ name, head, base })
  }
  return unapproved
}

export type Approving = Pick<LandingContext, "db" | "world" | "repoConfig">

/**
 * A candidate made of approved commits is approved: worktree and next snapshot may be at the
 * candidate.
 */
export function approveCandidates(
  context: Approving,
  { landing, task }: Pick<Step, "landing" | "task">,
): void {
  for (const { name, path, base, candidate } of landing.repos)
    if (base && candidate && needsApproval(context, { task }, { name, path }))
      addApproval(context.db, { task: task.id, name, head: candidate, base }, context.world.nowMs())
}

function needsApproval(
  { repoConfig }: Pick<LandingContext, "repoConfig">,
  { task }: Pick<Step, "task">,
  repo: { readonly name: string; readonly path: string },
): boolean {
  return task.land === "approve" || repoConfig(repo).approve
}

/** @returns undefined, or the head itself, if there is nothing to review. */
async function findOwnBase(
  step: Step,
  snapshot: Snapshot,
  target: Oid | undefined,
): Promise<Oid | undefined> {
  const { path, head } = snapshot
  if (!target || target === head) return target
  const { treeA, treeB, mergeBases } = await readDivergence(path, head, target)
  if (treeA === treeB) return head
  const [mergeBase] = mergeBases
  return await findBase(path, taskRepo(step, snapshot), { head, mergeBase })
}

/**
 * Whether an approval on one of these covers all commits after `base`: it began there, or earlier.
 */
async function coversFrom(path: string, approved: readonly Oid[], base: Oid): Promise<boolean> {
  for (const from of approved)
    if (from === base || (await isAncestor(path, from, base))) return true
  return false
}
