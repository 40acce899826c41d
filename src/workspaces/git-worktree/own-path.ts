/**
 * Chooses where a task's new worktree is to be: in the folder of the repository's worktrees, by the
 * task's name.
 *
 * Repositories may share the folder, homes may share a repository, and each home numbers its tasks from
 * 1. So a worktree that this home has not made for this repository may have the name: then a number follows it.
 */
import { join } from "node:path"
import { assert } from "../../core/assert.ts"
import { findGitDir } from "../../git/worktrees/git-dir.ts"
import type { Db } from "../../store/open.ts"
import { findOwnWorktree } from "../../store/worktrees/find.ts"

/** No folder has more neighbours with a task of the same number and title. */
const PATHS_MAX = 1_000

export type PathSought = {
  /** Holds the worktrees; real path. */
  readonly folder: string
  /** The task's, as a folder's. */
  readonly name: string
  /** The repository's main worktree, or bare directory. */
  readonly root: string
}

/** Called under the repository's lock. */
export function ownPath(db: Db, { folder, name, root }: PathSought): string {
  const isNeighbours = (path: string) =>
    findGitDir(path) !== undefined && findOwnWorktree(db, path)?.repo !== root
  for (let n = 1; n <= PATHS_MAX; n++) {
    const path = join(folder, n === 1 ? name : `${name}-${n}`)
    if (!isNeighbours(path)) return path
  }
  assert(false, "one of a thousand paths is no neighbour's")
}
