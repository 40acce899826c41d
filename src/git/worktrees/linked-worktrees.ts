/**
 * The linked worktrees of a repository, as git's own folders of them say.
 *
 * `git worktree list` looks up the branch of each as well, which takes long where there are many.
 *
 * @see https://git-scm.com/docs/gitrepository-layout
 */
import { readdirSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { readPlainText } from "../../process/plain-file.ts"

export type LinkedWorktree = {
  readonly path: string
  /** Its own git directory. */
  readonly gitDir: string
  /** Why it is locked, perhaps empty; undefined when it is not. */
  readonly locked: string | undefined
}

/**
 * Without the main worktree, and those that somebody is adding or removing this instant.
 *
 * @throws {UnreadableFileError} @throws what the system says, such as of too many open files.
 */
export function listLinked(commonDir: string): LinkedWorktree[] {
  const folder = join(commonDir, "worktrees")
  return idsIn(folder).flatMap((id) => {
    const gitDir = join(folder, id)
    const link = readPlainText(join(gitDir, "gitdir"))
    if (!link) return [] // it has gone this instant, with the worktree
    const path = dirname(resolve(gitDir, link.trimEnd()))
    return [{ path, gitDir, locked: readPlainText(join(gitDir, "locked"))?.trim() }]
  })
}

/** No linked worktrees, no folder. */
const idsIn = (folder: string): string[] => unlessAbsent(() => readdirSync(folder)) ?? []

/** What cannot be looked at may be there: somebody's worktree is never taken for none. */
function unlessAbsent<T>(look: () => T): T | undefined {
  try {
    return look()
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException
    if (code === "ENOENT" || code === "ENOTDIR") return undefined
    throw error
  }
}
