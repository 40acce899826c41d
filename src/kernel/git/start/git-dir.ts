/**
 * Finds the git directory of a worktree, like git: a `.git` folder, or a file that names one.
 *
 * @see https://git-scm.com/docs/gitrepository-layout
 */
import { lstatSync, realpathSync, statSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { UnreadableFileError } from "../../process/errors.ts"
import { readPlainText } from "../../process/plain-file.ts"

/** An agent can write any name there: a loop of links, too long a name, one with a NUL byte. */
const NOWHERE: readonly unknown[] = [
  ...["ENOENT", "ENOTDIR", "ELOOP", "ENAMETOOLONG", "ERR_INVALID_ARG_VALUE"],
]

/**
 * The git directory of the worktree at `root`: real path, without starting git. Undefined if `root`
 * is not the root of a usual worktree; git knows more kinds.
 */
export function findGitDir(root: string): string | undefined {
  const entry = join(root, ".git")
  const stat = ifExists(() => statSync(entry, { throwIfNoEntry: false }))
  if (!stat) return undefined
  if (!stat.isDirectory() && !stat.isFile()) return undefined
  const dir = stat.isDirectory() ? entry : named(entry, root)
  return dir !== undefined && hasHead(dir) ? realpathSync.native(dir) : undefined
}

/** HEAD can be a link (core.preferSymlinkRefs), which dangles in a linked worktree. */
const hasHead = (dir: string): boolean =>
  ifExists(() => lstatSync(join(dir, "HEAD"), { throwIfNoEntry: false })) !== undefined

/**
 * The directory that all worktrees of a repository share: real path. Git lets any git directory name one. A
 * `.git` that a stranger filled would lead us into another repository of the user's, so that is refused.
 *
 * @param gitDir of one of them. @throws {UnreadableFileError}
 */
export function commonDirOf(gitDir: string): string {
  const file = join(gitDir, "commondir")
  const link = readPlainText(file)
  if (link === undefined) return gitDir
  const common = ifExists(() => realpathSync.native(resolve(gitDir, link.trimEnd())))
  if (common === undefined) throw new UnreadableFileError(file, "it names no folder that is there")
  const own = realpathSync.native(gitDir)
  // A git that was killed while it added a worktree left an empty file.
  if (common !== own && dirname(own) !== join(common, "worktrees"))
    throw new UnreadableFileError(file, `this is no linked worktree of ${common}`)
  return common
}

function named(file: string, root: string): string | undefined {
  const dir = /^gitdir: (.*[^\n])\n*$/s.exec(readPlainText(file) ?? "")?.[1]
  return dir === undefined ? undefined : resolve(root, dir)
}

/**
 * @param also further error codes that mean the same. @returns undefined for a path that leads
 *   nowhere.
 */
export function ifExists<T>(look: () => T, also: readonly string[] = []): T | undefined {
  try {
    return look()
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? ""
    if (NOWHERE.includes(code) || also.includes(code)) return undefined
    throw error
  }
}
