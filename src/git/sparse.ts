/** `git sparse-checkout`: a new worktree inherits it from the main one, and a gate would miss files. */
import { git } from "./exec.ts"

/**
 * Makes the linked worktree of `cwd` a whole one; the others stay as they are. Call it before the
 * worktree is filled, under the repository's lock: it writes configuration.
 *
 * @returns whether the worktree was sparse.
 */
export async function disableSparse(cwd: string): Promise<boolean> {
  const { stdout } = await git(
    cwd,
    ["config", "--null", "--type=bool", "--get", "core.sparseCheckout"],
    { answers: [0, 1] },
  )
  if (stdout !== "true\0") return false
  await git(cwd, ["sparse-checkout", "disable"])
  return true
}
