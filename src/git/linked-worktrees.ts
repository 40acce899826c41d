/**
 * The linked worktrees of a repository, as git's own folders of them say.
 *
 * `git worktree list` looks up the branch of each as well, which takes long where there are many.
 *
 * @see https://git-scm.com/docs/gitrepository-layout
 */
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"

export type LinkedWorktree = {
  readonly path: string
  /** Its own git directory. */
  readonly gitDir: string
  /** Why it is locked, perhaps empty; undefined when it is not. */
  readonly locked: string | undefined
}

/** Without the main worktree, and those that somebody is adding or removing this instant. */
export function listLinked(commonDir: string): LinkedWorktree[] {
  const folder = join(commonDir, "worktrees")
  return idsIn(folder).flatMap((id) => {
    const gitDir = join(folder, id)
    const link = read(join(gitDir, "gitdir"))
    if (!link) return []
    const path = dirname(resolve(gitDir, link.trimEnd()))
    return [{ path, gitDir, locked: read(join(gitDir, "locked"))?.trim() }]
  })
}

function idsIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return [] // no linked worktrees, no folder
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return undefined // none; or it has gone this instant, with the worktree
  }
}
