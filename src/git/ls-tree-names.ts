/** `git ls-tree`: the names in one folder of a commit. */
import type { Oid } from "../core/ids.ts"
import { git } from "./exec.ts"
import { splitZ } from "./path.ts"

/**
 * Files and folders, by their paths from the root.
 *
 * @param folder empty for the root, else a path that ends in `/`.
 */
export async function listNames(cwd: string, commit: Oid, folder: string): Promise<string[]> {
  const args = ["ls-tree", "-z", "--name-only", "--full-tree", commit, "--", folder].filter(Boolean)
  return splitZ((await git(cwd, args)).stdout)
}
