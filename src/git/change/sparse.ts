/**
 * `git sparse-checkout`: a new worktree inherits it from the main worktree, and a gate would miss
 * files.
 */

import { isOn } from "../ask/config.ts"
import { type CheckoutConfig, readCheckoutConfig } from "../ask/true-modes.ts"
import { git } from "../start/exec.ts"

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
