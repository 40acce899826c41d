/** `git checkout-index`: files as they are in the index. */
import type { GitPath } from "../../core/ids.ts"
import { git } from "../exec.ts"
import { indexEnv } from "./index-lock.ts"

/**
 * Overwrites these files with their entries of the index, whatever is in the way. Leaves the index
 * as it is, so it needs no lock. Runs in the worktree's root.
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
