/**
 * Lists the linked worktrees of a repository from git's own folders.
 *
 * `git worktree list` also resolves each one's branch, which is slow if there are many.
 *
 * @see https://git-scm.com/docs/gitrepository-layout
 */
import { readdirSync, statSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { assertPlain, readPlainText } from "../../process/plain-file.ts"

export type LinkedWorktree = {
  readonly path: string
  /** The worktree's own git directory. */
  readonly gitDir: string
  /** Why it is locked, possibly empty; undefined if it is not locked. */
  readonly locked: string | undefined
}

/** Git reads these files of every worktree. If one is a pipe, git hangs in all worktrees. */
const READ_BY_GIT: ReadonlySet<string> = new Set(["HEAD", "commondir"])

/**
 * Leaves out the main worktree, and worktrees that another process is adding or removing right now.
 *
 * @throws {UnreadableFileError} @throws {Error} of the system, such as too many open files.
 */
export function listLinked(commonDir: string): LinkedWorktree[] {
  const folder = join(commonDir, "worktrees")
  return idsIn(folder).flatMap((id) => {
    const gitDir = join(folder, id)
    const link = readPlainText(join(gitDir, "gitdir"))
    if (!link) return [] // the worktree has just been removed
    const entries = unlessAbsent(() => readdirSync(gitDir, { withFileTypes: true })) ?? []
    for (const entry of entries)
      if (READ_BY_GIT.has(entry.name) && !entry.isFile()) assertReadable(join(gitDir, entry.name))
    const path = dirname(resolve(gitDir, link.trimEnd()))
    const isLocked = entries.some(({ name }) => name === "locked")
    const locked = isLocked ? readPlainText(join(gitDir, "locked"))?.trim() : undefined
    return [{ path, gitDir, locked }]
  })
}

/** @throws {UnreadableFileError} if the file exists but git could not read it either. */
export function assertReadable(file: string): void {
  const found = unlessAbsent(() => statSync(file, { throwIfNoEntry: false }))
  if (found) assertPlain(file, found)
}

/** Git makes the folder with the first linked worktree. */
const idsIn = (folder: string): string[] => unlessAbsent(() => readdirSync(folder)) ?? []

/** Other errors are thrown: an unreadable folder may still be a user's worktree. */
function unlessAbsent<T>(look: () => T): T | undefined {
  try {
    return look()
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException
    if (code === "ENOENT" || code === "ENOTDIR") return undefined
    throw error
  }
}
