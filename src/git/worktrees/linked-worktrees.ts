/**
 * The linked worktrees of a repository, as git's own folders of them say.
 *
 * `git worktree list` looks up the branch of each as well, which takes long where there are many.
 *
 * @see https://git-scm.com/docs/gitrepository-layout
 */
import { readdirSync, statSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { assertPlain, readPlainText } from "../../process/plain-file.ts"

export type LinkedWorktree = {
  readonly path: string
  /** Its own git directory. */
  readonly gitDir: string
  /** Why it is locked, perhaps empty; undefined when it is not. */
  readonly locked: string | undefined
}

/** What git reads of each worktree besides. Where it is a pipe git waits for ever, whichever worktree is meant. */
const READ_BY_GIT = ["HEAD", "commondir"]

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
    for (const name of READ_BY_GIT) assertReadable(join(gitDir, name))
    const path = dirname(resolve(gitDir, link.trimEnd()))
    return [{ path, gitDir, locked: readPlainText(join(gitDir, "locked"))?.trim() }]
  })
}

/** @throws {UnreadableFileError} where there is something that git could not read either. */
export function assertReadable(file: string): void {
  const found = unlessAbsent(() => statSync(file, { throwIfNoEntry: false }))
  if (found) assertPlain(file, found)
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
