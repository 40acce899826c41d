/** `git ls-files`: the files that are work, tracked or not. */
import type { GitPath } from "../../core/ids.ts"
import { git } from "../start/exec.ts"
import { splitZ } from "../start/path.ts"
import { trueNames } from "./true-modes.ts"

/**
 * Tracked and untracked files below `cwd`, relative to it. Nested repositories, whose files are
 * not listed, are paths that end in `/`.
 */
export async function listWork(cwd: string): Promise<GitPath[]> {
  const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"]
  const { stdout } = await git(cwd, args, { settings: await trueNames(cwd) })
  return splitZ(stdout) as GitPath[]
}
