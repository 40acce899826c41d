/**
 * Takes a gate's commits off the task's branch, because they are not work. It runs as soon as the
 * gate has ended, or was cut off. The commits of others stay on the branch.
 */
import { branchRef, type Oid, type RefName } from "../../../base/ids.ts"
import { readHead } from "../../git/ask/head.ts"
import { isAncestor } from "../../git/ask/merge-base.ts"
import { findOperation } from "../../git/ask/operation-in-progress.ts"
import { readCommit } from "../../git/ask/rev-parse.ts"
import { assertOwnGitDir } from "../../git/ask/worktree-of.ts"
import { rebuildIndex } from "../../git/change/read-tree.ts"
import { switchTo } from "../../git/change/switch.ts"
import { updateRef } from "../../git/change/update-ref.ts"
import { RefBusyError } from "../../workspaces/errors.ts"
import { rescueCommit } from "../../workspaces/rescue/rescue.ts"
import { recordRescued } from "../../workspaces/rows/rescues.ts"
import { ownerOf, type Refs, type Rows, type Step, taskRepo } from "../action.ts"
import type { LandingRepo } from "../rows/row.ts"
import { hasGateMovedHead } from "./gate-mark.ts"
import { withoutGate } from "./others-commits.ts"

export type Ran = {
  readonly worktree: string
  /** Index and files are the target's, although HEAD is not. */
  readonly onTarget: boolean
}

/**
 * Brings HEAD and branch back to the candidate, with the commits of others on top. The old ones are
 * rescued first. An operation in progress stays, and HEAD with it: nothing tells who began it. Files stay, for {@link restoreTree}.
 *
 * @throws {NoWorktreeError} @throws {RefBusyError} while another git holds the branch.
 */
export async function putBackHead(
  step: Step<Rows & Refs>,
  repo: LandingRepo,
  { worktree, onTarget }: Ran,
): Promise<void> {
  const { candidate, base } = repo
  const { branch } = taskRepo(step, repo)
  if (!candidate || !branch) return
  assertOwnGitDir(worktree)
  if (await findOperation(worktree)) return
  const ref = branchRef(branch)
  const head = await readHead(worktree)
  const tip = await readCommit(worktree, ref)
  const from = { worktree, candidate, files: onTarget && base ? base : candidate }
  const isDetached = head.kind === "detached"
  if (isDetached && (await withoutGate(from, head.commit)) !== candidate) return // work of others
  if (tip && (await isPutBack(worktree, tip, candidate)))
    return await rescue(step, worktree, { safe: [tip], commits: [candidate] })
  const to = tip ? await withoutGate(from, tip) : candidate
  const isOnBranch = head.kind === "branch" && head.ref === ref
  if (tip === to && (isOnBranch || (isDetached && head.commit === to))) return
  await rescue(step, worktree, { safe: [candidate, to], commits: [head.commit, tip] })
  await moveBack(worktree, { ref, from: tip, to })
  if (isOnBranch) return
  await moveBack(worktree, { ref: "HEAD" as RefName, from: head.commit, to })
  if (await switchTo(worktree, branch)) return
  await rebuildIndex(worktree, to) // git does not leave conflicts in the index behind
  // Else another worktree has the branch now. A detached HEAD at its commit is as good (snapshot-task.ts).
  await switchTo(worktree, branch)
}

/** A person went back to a commit below the candidate. */
const isPutBack = async (worktree: string, tip: Oid, candidate: Oid): Promise<boolean> =>
  tip !== candidate && !hasGateMovedHead(worktree) && (await isAncestor(worktree, tip, candidate))

type Back = { readonly ref: RefName; readonly from: Oid | undefined; readonly to: Oid }

/** A ref that another process has moved since then stays. */
async function moveBack(worktree: string, { ref, from, to }: Back): Promise<void> {
  if (from === to) return
  const reason = "coppice: the commit that the gate tested"
  const { kind } = await updateRef(worktree, { ref, from: from ?? null, to, reason })
  if (kind === "locked") throw new RefBusyError(ref)
}

type Found = { readonly safe: readonly Oid[]; readonly commits: readonly (Oid | undefined)[] }

async function rescue(step: Step<Rows & Refs>, worktree: string, { safe, commits }: Found) {
  const reason = "the gate's commits were taken off the branch"
  const request = { owner: ownerOf(step), safeCommits: safe, reason }
  for (const commit of new Set(commits))
    if (commit)
      recordRescued(step.context, step.task.id, [await rescueCommit(worktree, commit, request)])
}
