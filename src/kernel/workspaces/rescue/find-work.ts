/** Finds the files of a worktree that differ from its commit and are work. */
import type { GitPath } from "../../../base/ids.ts"
import { listWork } from "../../git/ask/ls-files.ts"
import { listOthers } from "../../git/ask/ls-others.ts"
import { readStatus } from "../../git/ask/status.ts"
import { joinBytes } from "../../git/start/git-path.ts"
import { isPlaced } from "../placed-files.ts"

export type UnsavedWork = {
  /** Everything that differs from HEAD; a nested repository is a folder's path, ending in `/`. */
  readonly changed: readonly GitPath[]
  /** Files whose contents the index does not have yet, and files that are gone. */
  readonly toRead: readonly GitPath[]
  /** Nested repositories, and submodules with changes of their own. */
  readonly nested: readonly GitPath[]
  /** The index differs from HEAD, and not by a conflict. */
  readonly isStaged: boolean
}

export type WorkRequest = {
  readonly placed: readonly string[]
  readonly ignored?: readonly GitPath[]
}

export async function findUnsavedWork(
  worktree: string,
  request: WorkRequest,
): Promise<UnsavedWork> {
  const status = await readStatus(worktree)
  const untracked = status.untracked.filter((path) => !isPlaced(path, request.placed))
  const isFolder = (path: string) => path.endsWith("/")
  const repositories = untracked.filter(isFolder)
  const files = untracked.filter((path) => !isFolder(path))
  const ignored = (await listOthers(worktree, request.ignored ?? [])).filter((p) => !isFolder(p))
  const changed = [
    ...status.staged,
    ...status.unstaged,
    ...status.unmerged,
    ...untracked,
    ...ignored,
  ]
  const nestedFiles = await Promise.all(repositories.map((path) => filesOf(worktree, path)))
  const modules = status.submodules.filter(({ modified, untracked }) => modified || untracked)
  return {
    changed: [...new Set(changed)],
    toRead: [...status.unstaged, ...status.unmerged, ...files, ...ignored, ...nestedFiles.flat()],
    nested: [...repositories, ...modules.map(({ path }) => `${path}/` as GitPath)],
    isStaged: status.staged.length > 0 && status.unmerged.length === 0,
  }
}

/** The files of a nested repository, without repositories nested in it. */
async function filesOf(worktree: string, nested: GitPath): Promise<GitPath[]> {
  const root = joinBytes(worktree, nested).toString("utf8")
  const files = await listWork(root)
  return files.filter((path) => !path.endsWith("/")).map((path) => `${nested}${path}` as GitPath)
}
