/** Deletes a branch with its configuration. */
import { branchRef, type Oid } from "../../../base/ids.ts"
import { escapeRegexp, listConfig } from "../ask/config.ts"
import { git } from "../start/exec.ts"
import { deleteRef, type RefMoved } from "./update-ref.ts"

/**
 * Deletes a branch that is still at `from`, with its settings (an agent may have made it track a
 * remote). Writes configuration: callers hold the repository's lock.
 *
 * @returns like {@link deleteRef}. Settings go only with the branch, and stay while the
 *   configuration is locked.
 */
export async function deleteBranch(
  cwd: string,
  {
    branch,
    from,
    reason,
  }: { readonly branch: string; readonly from: Oid; readonly reason: string },
): Promise<RefMoved> {
  const moved = await deleteRef(cwd, { ref: branchRef(branch), from, reason })
  if (moved.kind !== "moved") return moved
  const settings = await listConfig(cwd, `^branch\\.${escapeRegexp(branch)}\\.[a-z]+$`)
  // Another git may hold the configuration's lock. Leftover settings do no harm.
  const args = ["config", "--remove-section", `branch.${branch}`]
  if (settings.length > 0) await git(cwd, args, { answers: [0, 128, 255] })
  return moved
}
