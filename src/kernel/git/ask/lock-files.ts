/** Finds the lock files of git in a repository: of its index, its refs and those of its worktrees. */
import { type Dirent, readdirSync } from "node:fs"
import { dirname, join } from "node:path"
import { readPlainText } from "../../process/plain-file.ts"
import { ifExists } from "../start/git-dir.ts"

const TOP = ["index.lock", "HEAD.lock", "packed-refs.lock", "packed-refs.new", "config.lock"]
const OWN = ["index.lock", "HEAD.lock"]
/** Deeper folders of refs hold no branch that git could name. */
const DEPTH_MAX = 40

/** Absolute paths. @param commonDir of the repository; real path. */
export function listLockFiles(commonDir: string): string[] {
  const own = list(join(commonDir, "worktrees"))
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(commonDir, "worktrees", name))
  return [
    ...locksIn(commonDir, TOP),
    ...own.flatMap((dir) => locksIn(dir, OWN)),
    ...locksBelow(join(commonDir, "refs"), DEPTH_MAX),
  ]
}

/**
 * The roots of a repository's linked worktrees, from their entries, even if the folders are gone.
 */
export function listWorktreeRoots(commonDir: string): string[] {
  const entries = list(join(commonDir, "worktrees"))
  return entries.flatMap(({ name }) => {
    const link = readPlainText(join(commonDir, "worktrees", name, "gitdir"))
    return link ? [dirname(link.trimEnd())] : []
  })
}

function locksIn(folder: string, names: readonly string[]): string[] {
  const found = list(folder).filter((entry) => entry.isFile() && names.includes(entry.name))
  return found.map(({ name }) => join(folder, name))
}

function locksBelow(folder: string, depth: number): string[] {
  if (depth === 0) return []
  return list(folder).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return locksBelow(path, depth - 1)
    return entry.isFile() && entry.name.endsWith(".lock") ? [path] : []
  })
}

function list(folder: string): Dirent[] {
  return ifExists(() => readdirSync(folder, { withFileTypes: true }), ["EACCES"]) ?? []
}
