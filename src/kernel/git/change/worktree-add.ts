/**
 * `git worktree add`: adds linked worktrees, empty at first (`--no-checkout`). {@link resetTree}
 * fills them.
 *
 * Adding writes files that all worktrees share, so callers hold the repository's lock. Filling
 * takes long, and needs no lock.
 */
import { branchRef, type Oid } from "../../../base/ids.ts"
import { isOn } from "../ask/config.ts"
import { type CheckoutConfig, readCheckoutConfig } from "../ask/true-modes.ts"
import { git } from "../start/exec.ts"

const ARGS = ["worktree", "add", "--quiet", "--no-checkout"]

/** Adds a worktree on a branch just made under the same lock. */
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
  // If only a remote has the branch, `worktree add` would create a local one. Its tracking
  // configuration needs a lock for which parallel calls compete.
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

/**
 * Makes the linked worktree at `cwd` a full one. The others stay as they are. Call it before the
 * worktree is filled, under the repository's lock: it writes configuration.
 *
 * @param config if the caller has just read it.
 * @returns whether the worktree was sparse.
 */
export async function disableSparse(cwd: string, config?: CheckoutConfig): Promise<boolean> {
  if (!isOn(config ?? (await readCheckoutConfig(cwd)), "core.sparsecheckout")) return false
  await git(cwd, ["sparse-checkout", "disable"])
  return true
}
