/**
 * `git worktree add`: linked worktrees, empty at first (`--no-checkout`): {@link resetTree} fills them.
 *
 * Adding writes files that all worktrees share, so callers take the repository's lock around it.
 * Filling is what takes long, and needs no lock. When an add fails its branch may have been made.
 */
import { branchRef, type Oid } from "../core/ids.ts"
import { git } from "./exec.ts"

const ARGS = ["worktree", "add", "--quiet", "--no-checkout"]

/**
 * Adds a worktree on a new branch.
 *
 * `start` is a commit and never a branch: from a remote branch git also writes tracking
 * configuration, and parallel calls fight for that one lock.
 */
export async function addWorktree(
  cwd: string,
  { path, branch, start }: { readonly path: string; readonly branch: string; readonly start: Oid },
): Promise<void> {
  await git(cwd, [...ARGS, "--no-track", "-b", branch, "--", path, start])
}

/** Adds a worktree on a branch that exists and is checked out nowhere. */
export async function addExistingBranch(
  cwd: string,
  { path, branch }: { readonly path: string; readonly branch: string },
): Promise<void> {
  // Of a branch that only a remote has, `worktree add` would make one of ours.
  await git(cwd, ["rev-parse", "--verify", "--end-of-options", branchRef(branch)])
  await git(cwd, [...ARGS, "--", path, branch])
}

/** Adds a worktree that is on no branch. */
export async function addDetached(
  cwd: string,
  { path, commit }: { readonly path: string; readonly commit: Oid },
): Promise<void> {
  await git(cwd, [...ARGS, "--detach", "--", path, commit])
}
