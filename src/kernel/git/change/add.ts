/**
 * Stages a worktree as it is.
 *
 * Not with `git add --all`: it records nested repositories as links to commits, and fails late if
 * an excluded path is ignored. Instead, the paths that status lists go to update-index.
 */
import type { GitPath } from "../../../base/ids.ts"
import { readStatus, type Status } from "../ask/status.ts"
import { trueModes } from "../ask/true-modes.ts"
import { listPathsBehindLinks } from "../start/behind-links.ts"
import { indexEnv } from "../start/environment.ts"
import { gitPath } from "../start/git-path.ts"
import { gitNeedingIndex } from "./index-lock.ts"

export type AddOptions = {
  /** Files and folders to leave as they are in the index, relative to the root. */
  readonly except: readonly string[]
  /** An index other than the worktree's own, absolute. */
  readonly indexFile?: string
  /** The status of the worktree if the caller has it. */
  readonly status?: Status
}

/**
 * Stages every change and every untracked file that is not ignored; nested repositories are left
 * out. Runs in the worktree's root.
 *
 * @returns the paths that were staged.
 * @throws {IndexLockedError}
 */
export async function addAll(cwd: string, options: AddOptions): Promise<GitPath[]> {
  const { except, indexFile } = options
  const status =
    options.status ?? (await readStatus(cwd, indexFile === undefined ? {} : { indexFile }))
  const left = except.map((path) => gitPath(path.replace(/\/+$/, "")))
  const isLeft = (path: string) =>
    path.endsWith("/") || left.some((other) => path === other || path.startsWith(`${other}/`))
  const paths = [...status.unstaged, ...status.unmerged, ...status.untracked].filter(
    (path) => !isLeft(path),
  )
  if (paths.length === 0) return []
  await addPaths(cwd, paths, { indexFile, modes: status.modes })
  return paths
}

export type PathsOptions = {
  /** An index other than the worktree's own, absolute. */
  readonly indexFile?: string | undefined
  /** The result of {@link trueModes} if the caller has it. */
  readonly modes?: Readonly<Record<string, string>> | undefined
}

/**
 * Stages files, and the removal of files that are gone. Runs in the worktree's root.
 *
 * @throws {IndexLockedError} @throws {GitError} e.g. when a file cannot be read.
 */
export async function addPaths(
  cwd: string,
  paths: readonly GitPath[],
  { indexFile, modes }: PathsOptions = {},
): Promise<void> {
  const settings = modes ?? (await trueModes(cwd)) ?? {}
  const options = { settings, env: indexEnv(indexFile) }
  // For a path below a symbolic link, git reports neither presence nor absence.
  const behind = new Set(listPathsBehindLinks(cwd, paths))
  const update = (how: readonly string[], some: readonly GitPath[]) =>
    gitNeedingIndex(cwd, ["update-index", ...how, "-z", "--stdin"], {
      ...options,
      stdin: asInput(some),
    })
  if (behind.size > 0) await update(["--force-remove"], [...behind])
  const there = behind.size > 0 ? paths.filter((path) => !behind.has(path)) : paths
  await update(["--add", "--remove", "--replace"], there)
}

const asInput = (paths: readonly GitPath[]): Buffer =>
  Buffer.from(paths.map((path) => `${path}\0`).join(""), "latin1")
