/**
 * `git worktree add`: linked worktrees, empty at first (`--no-checkout`): {@link resetTree} fills them.
 *
 * Adding writes files that all worktrees share, so callers take the repository's lock around it.
 * Filling is what takes long, and needs no lock.
 */
import { branchRef, type Oid } from "../../core/ids.ts"
import { git } from "../exec.ts"

const ARGS = ["worktree", "add", "--quiet", "--no-checkout"]

/** Adds a worktree on a branch that was made this instant, under the same lock. */
export async function addWorktree(
  cwd: string,
  { path, branch }: { readonly path: string; readonly branch: string },
): Promise<void> {
  await git(cwd, [...ARGS, "--", path, branch])
}

/** Adds a worktree on a branch that exists and is checked out nowhere. */
export async function addExistingBranch(
  cwd: string,
  { path, branch }: { readonly path: string; readonly branch: string },
): Promise<void> {
  // Of a branch that only a remote has, `worktree add` would make one of ours: with tracking
  // configuration, for whose lock parallel calls fight.
  await git(cwd, ["rev-parse", "--verify", "--end-of-options", branchRef(branch)])
  await addWorktree(cwd, { path, branch })
}

/** Adds a worktree that is on no branch. */
export async function addDetached(
  cwd: string,
  { path, commit }: { readonly path: string; readonly commit: Oid },
): Promise<void> {
  await git(cwd, [...ARGS, "--detach", "--", path, commit])
}
