/**
 * Takes a gate's commits off the task's branch, because they are not work. It runs as soon as the
 * gate has ended, or was cut off, so that a later commit of another process stays.
 */
import { branchRef, type Oid, type RefName } from "../../../base/ids.ts"
import { readHead } from "../../git/ask/head.ts"
import { readCommit } from "../../git/ask/rev-parse.ts"
import { assertOwnGitDir } from "../../git/ask/worktree-of.ts"
import { switchTo } from "../../git/change/switch.ts"
import { updateRef } from "../../git/change/update-ref.ts"
import { RefBusyError } from "../../workspaces/errors.ts"
import { rescueCommit } from "../../workspaces/rescue/rescue.ts"
import { recordRescued } from "../../workspaces/rows/rescues.ts"
import { ownerOf, type Refs, type Rows, type Step, taskRepo } from "../action.ts"
import type { LandingRepo } from "../rows/row.ts"

/**
 * Brings HEAD and branch back to the candidate. The commits are rescued first. Index and files stay.
 *
 * @throws {NoWorktreeError} @throws {RefBusyError} while another git holds the branch.
 */
export async function putBackHead(
  step: Step<Rows & Refs>,
  repo: LandingRepo,
  worktree: string,
): Promise<void> {
  const { candidate } = repo
  const { branch } = taskRepo(step, repo)
  if (!candidate || !branch) return
  assertOwnGitDir(worktree)
  const ref = branchRef(branch)
  const head = await readHead(worktree)
  const tip = await readCommit(worktree, ref)
  const isOnBranch = head.kind === "branch" && head.ref === ref
  const isElsewhere = head.kind === "branch" && !isOnBranch
  if (head.commit === candidate && tip === candidate && !isElsewhere) return
  await rescue(step, worktree, { candidate, commits: [head.commit, tip] })
  await moveBack(worktree, { ref, from: tip, to: candidate })
  if (isOnBranch) return
  await moveBack(worktree, { ref: "HEAD" as RefName, from: head.commit, to: candidate })
  await switchTo(worktree, branch)
}

type Back = { readonly ref: RefName; readonly from: Oid | undefined; readonly to: Oid }

/** A ref that another process has moved since then stays. */
async function moveBack(worktree: string, { ref, from, to }: Back): Promise<void> {
  if (from === to) return
  const reason = "coppice: the commit that the gate tested"
  const { kind } = await updateRef(worktree, { ref, from: from ?? null, to, reason })
  if (kind === "locked") throw new RefBusyError(ref)
}

type Found = { readonly candidate: Oid; readonly commits: readonly (Oid | undefined)[] }

async function rescue(step: Step<Rows & Refs>, worktree: string, { candidate, commits }: Found) {
  const reason = "the gate's commits were taken off the branch"
  const request = { owner: ownerOf(step), safeCommits: [candidate], reason }
  for (const commit of new Set(commits))
    if (commit)
      recordRescued(step.context, step.task.id, [await rescueCommit(worktree, commit, request)])
}
