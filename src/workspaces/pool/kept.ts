/** Tells the folders that stay in a recycled worktree. Pure. */
import type { GitPath } from "../../core/ids.ts"
import { gitPath } from "../../git/path.ts"

/**
 * @param path from the root; a folder's ends in `/`. What is no folder never stays.
 * @param keep a name without `/` is of a folder at any depth, one with it is a path from the root.
 */
export function isKept(path: GitPath, keep: readonly string[]): boolean {
  if (!path.endsWith("/")) return false
  const folder = path.slice(0, -1)
  return keep.some((text) => {
    const kept = gitPath(text)
    return folder === kept || (!kept.includes("/") && folder.endsWith(`/${kept}`))
  })
}

/** Whether a folder that stays may lie in this one. */
export function isAround(path: GitPath, keep: readonly string[]): boolean {
  return path.endsWith("/") && keep.some((text) => gitPath(text).startsWith(path))
}
