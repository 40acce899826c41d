/** `git checkout-index`: writes files from the index into the worktree. */
import type { GitPath } from "../../../base/ids.ts"
import { indexEnv } from "../start/environment.ts"
import { git } from "../start/exec.ts"

/**
 * Overwrites anything at these paths: the caller saves it first. The index does not change, so this
 * needs no lock. Runs in the worktree's root.
 */
export async function checkoutIndex(
  cwd: string,
  paths: readonly GitPath[],
  { indexFile }: { readonly indexFile?: string } = {},
): Promise<void> {
  const stdin = Buffer.from(paths.map((path) => `${path}\0`).join(""), "latin1")
  await git(cwd, ["checkout-index", "--force", "-z", "--stdin"], {
    stdin,
    env: indexEnv(indexFile),
  })
}
