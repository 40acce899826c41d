/** `git ls-files --ignored`: files that git ignores. */
import type { GitPath } from "../../core/ids.ts"
import { git } from "../start/exec.ts"
import { splitZ } from "../start/path.ts"

/**
 * Ignored files and folders. A folder ends in `/`, without its content. Runs in the worktree's
 * root.
 */
export async function listIgnored(cwd: string): Promise<GitPath[]> {
  const args = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"]
  return splitZ((await git(cwd, args)).stdout) as GitPath[]
}

/** The folders alone. */
export async function listIgnoredFolders(cwd: string): Promise<GitPath[]> {
  return (await listIgnored(cwd)).filter((path) => path.endsWith("/"))
}
