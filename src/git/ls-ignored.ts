/** `git ls-files --ignored`: what git does not track because it was told to ignore it. */
import type { GitPath } from "../core/ids.ts"
import { git } from "./exec.ts"
import { splitZ } from "./path.ts"

/** Ignored folders, not what is in them, each ending in `/`. Runs in the worktree's root. */
export async function listIgnoredFolders(cwd: string): Promise<GitPath[]> {
  const args = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"]
  const { stdout } = await git(cwd, args)
  return (splitZ(stdout) as GitPath[]).filter((path) => path.endsWith("/"))
}
