/** `git ls-tree`: the files of a commit at some paths. */
import type { GitPath, Oid } from "../../core/ids.ts"
import { git } from "../start/exec.ts"
import { splitZ } from "../start/path.ts"

/** Keeps the command line well below every system's limit. */
const PATHS_PER_CALL = 200

/** Files at or below `paths`; costs what these hold, and not what the commit does. */
export async function listTreeBelow(
  cwd: string,
  commit: Oid,
  paths: readonly string[],
): Promise<GitPath[]> {
  const found: GitPath[] = []
  for (let at = 0; at < paths.length; at += PATHS_PER_CALL) {
    const some = paths.slice(at, at + PATHS_PER_CALL)
    const args = ["ls-tree", "-r", "-z", "--name-only", "--full-tree", commit, "--", ...some]
    found.push(...(splitZ((await git(cwd, args)).stdout) as GitPath[]))
  }
  return found
}
