/** Distinguishes files that `copy` and `link` put into a worktree from files made there. Pure. */
import type { GitPath } from "../../base/ids.ts"
import { gitPath } from "../git/start/git-path.ts"

/** Whether `path` is one of `placed`, or lies in one. */
export function isPlaced(path: GitPath, placed: readonly string[]): boolean {
  return placed.some((text) => {
    const other = gitPath(text.replace(/\/+$/, ""))
    return path === other || path.startsWith(`${other}/`)
  })
}
