/**
 * Chooses where a task's new worktree is to be: in the folder of the repository's worktrees, by the
 * task's name.
 *
 * Repositories may share the folder, by a name that two of them have or because it was configured so,
 * and homes may share a repository. Each numbers its tasks from 1, so a name may be another's by now.
 */
import { join } from "node:path"
import { assert } from "../../core/assert.ts"
import { commonDirOf, findGitDir } from "../../git/worktrees/git-dir.ts"
import { readOwner } from "./ownership.ts"

/** More neighbours than this with a task of the same number and title there are not. */
const PATHS_MAX = 1_000

export type PathSought = {
  /** Holds the worktrees; real path. */
  readonly folder: string
  /** The task's, as a folder's. */
  readonly name: string
  readonly commonDir: string
  readonly home: string
}

/** Called under the repository's lock. */
export function ownPath({ folder, name, ...by }: PathSought): string {
  for (let n = 1; n <= PATHS_MAX; n++) {
    const path = join(folder, n === 1 ? name : `${name}-${n}`)
    if (!isAnothers(path, by)) return path
  }
  assert(false, "one of a thousand paths is no neighbour's")
}

/** Whether the worktree of another repository, or of another home, is there. */
function isAnothers(
  path: string,
  { commonDir, home }: Pick<PathSought, "commonDir" | "home">,
): boolean {
  const gitDir = findGitDir(path)
  if (gitDir === undefined) return false
  const owner = readOwner(gitDir)
  return commonDirOf(gitDir) !== commonDir || (owner !== undefined && owner.home !== home)
}
