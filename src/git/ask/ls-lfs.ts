/** `git ls-files`: files that the LFS filter stores elsewhere. */
import type { GitPath } from "../../core/ids.ts"
import { git } from "../start/exec.ts"
import { splitZ } from "../start/path.ts"

/** Tracked files of the worktree that have the attribute `filter=lfs`. */
export async function listLfsFiles(worktree: string): Promise<GitPath[]> {
  const { stdout } = await git(worktree, ["ls-files", "-z", "--", ":(top,attr:filter=lfs)"])
  return splitZ(stdout) as GitPath[]
}
