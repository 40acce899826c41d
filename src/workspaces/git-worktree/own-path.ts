/**
 * Chooses the path of a task's new worktree: the task's name, in the folder of the repository's
 * worktrees.
 *
 * Repositories may share the folder, homes may share a repository, and each home counts its tasks
 * from one. If a worktree that this home did not make for this repository has the name, a number
 * follows it.
 */
import { join } from "node:path"
import { assert } from "../../core/assert.ts"
import { findGitDir } from "../../git/start/git-dir.ts"
import type { Db } from "../../store/open.ts"
import { findOwnWorktree } from "../../store/worktrees.ts"

/** No folder has more worktrees of tasks with the same number and title. */
const PATHS_MAX = 1_000

export type PathSought = {
  /** Holds the worktrees; real path. */
  readonly folder: string
  /** The folder name for the task. */
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
  assert(false, "one of a thousand paths is free")
}
