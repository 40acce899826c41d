/** Makes a branch of a rescue. It touches no checkout and no existing branch. */
import { branchRef, type Oid } from "../../../base/ids.ts"
import { isBranchName, listRefs } from "../../git/ask/list-refs.ts"
import { listWorktrees } from "../../git/ask/worktree-list.ts"
import { updateRef } from "../../git/change/update-ref.ts"

export type Restored =
  /** Also if the branch was at that commit already. */
  | { readonly kind: "restored" }
  /** The name is invalid, or taken by another branch. */
  | { readonly kind: "refused"; readonly reason: string }
  | { readonly kind: "locked" }

export async function restoreRescue(
  repo: string,
  { branch, commit, ref }: { readonly branch: string; readonly commit: Oid; readonly ref: string },
): Promise<Restored> {
  if (!(await isBranchName(repo, branch))) return refused("git refuses it as a branch name")
  const wanted = branchRef(branch)
  const unborn = (await listWorktrees(repo)).find((worktree) => worktree.branch === wanted)
  if (unborn) return refused(`it is checked out in ${unborn.path}`)
  const clash = (await listRefs(repo, "refs/heads/")).find(
    (other) => wanted.startsWith(`${other.ref}/`) || other.ref.startsWith(`${wanted}/`),
  )
  if (clash) return refused(`${clash.ref} exists`)
  const reason = `coppice: recovered from ${ref}`
  const moved = await updateRef(repo, { ref: wanted, from: null, to: commit, reason })
  if (moved.kind === "locked") return { kind: "locked" }
  if (moved.kind === "moved" || moved.actual === commit) return { kind: "restored" }
  return refused("that branch exists, with something else on it")
}

const refused = (reason: string): Restored => ({ kind: "refused", reason })
