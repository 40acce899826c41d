/**
 * Git's own folder of a worktree, read as git reads it: a `.git` folder, or a file that names one.
 *
 * @see https://git-scm.com/docs/gitrepository-layout
 */
import { lstatSync, realpathSync, statSync } from "node:fs"
import { join, resolve } from "node:path"
import { readPlainText } from "../../process/plain-file.ts"

/**
 * Of the worktree whose root is `root`: real path, without starting git. Undefined where it is not
 * a root, or not a usual one: git knows more ways.
 */
export function findGitDir(root: string): string | undefined {
  const entry = join(root, ".git")
  const stat = statSync(entry, { throwIfNoEntry: false })
  if (!stat) return undefined
  if (!stat.isDirectory() && !stat.isFile()) return undefined
  const dir = stat.isDirectory() ? entry : named(entry, root)
  return dir !== undefined && hasHead(dir) ? realpathSync.native(dir) : undefined
}

/** Some gits make HEAD a link (core.preferSymlinkRefs), in a linked worktree to nowhere. */
const hasHead = (dir: string): boolean =>
  lstatSync(join(dir, "HEAD"), { throwIfNoEntry: false }) !== undefined

/**
 * What all worktrees of a repository share: real path.
 *
 * @param gitDir of one of them. @throws {UnreadableFileError}
 */
export function commonDirOf(gitDir: string): string {
  const link = readPlainText(join(gitDir, "commondir"))
  return link === undefined ? gitDir : realpathSync.native(resolve(gitDir, link.trimEnd()))
}

function named(file: string, root: string): string | undefined {
  const dir = /^gitdir: (.+?)\n*$/s.exec(readPlainText(file) ?? "")?.[1]
  return dir === undefined ? undefined : resolve(root, dir)
}
