/** `git sparse-checkout`: a new worktree inherits it from the main one, and a gate would miss files. */
import { isSet } from "./config.ts"
import { git } from "./exec.ts"

/**
 * Makes the linked worktree of `cwd` a whole one; the others stay as they are. Call it before the
 * worktree is filled, under the repository's lock: it writes configuration.
 *
 * @returns whether the worktree was sparse.
 */
export async function disableSparse(cwd: string): Promise<boolean> {
  if (!(await isSet(cwd, "core.sparseCheckout"))) return false
  await git(cwd, ["sparse-checkout", "disable"])
  return true
}
