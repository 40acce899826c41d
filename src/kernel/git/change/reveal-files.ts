/**
 * `git update-index`: shows files whose changes git ignores on request.
 *
 * `update-index --assume-unchanged` and `--skip-worktree` make git ignore edits. In an agent's
 * worktree they would hide work, and a gate would test files that no commit has. A user's own
 * checkout keeps its bits: never call this there.
 */
import { lstat } from "node:fs/promises"
import type { GitPath } from "../../../base/ids.ts"
import { listHidden } from "../ask/ls-files.ts"
import { assertOwnGitDir } from "../ask/worktree-of.ts"
import { indexEnv } from "../start/environment.ts"
import { joinBytes } from "../start/git-path.ts"
import { gitNeedingIndex } from "./index-lock.ts"

/** An index other than the worktree's own, absolute. */
type IndexOption = { readonly indexFile?: string }

/**
 * Makes git check every file that exists. Runs in the worktree's root.
 *
 * A hidden file that is absent stays hidden. Revealed, it would count as deleted, and in a sparse
 * worktree that would be wrong.
 *
 * @throws {IndexLockedError} when there is something to reveal. @throws {NoWorktreeError}
 */
export async function revealPresent(cwd: string, index: IndexOption = {}): Promise<void> {
  assertOwnGitDir(cwd)
  const hidden = await listHidden(cwd, index)
  const present = await Promise.all(hidden.map((path) => exists(cwd, path)))
  const paths = hidden.filter((_, n) => present[n])
  await reveal(cwd, paths, index)
}

/**
 * Makes git check all files, so that absent ones can be restored. Errors as above.
 *
 * @returns the absent files.
 */
export async function revealAll(cwd: string): Promise<readonly GitPath[]> {
  assertOwnGitDir(cwd)
  const hidden = await listHidden(cwd)
  const present = await Promise.all(hidden.map((path) => exists(cwd, path)))
  await reveal(cwd, hidden)
  return hidden.filter((_, n) => !present[n])
}

async function reveal(
  cwd: string,
  paths: readonly GitPath[],
  { indexFile }: IndexOption = {},
): Promise<void> {
  if (paths.length === 0) return
  const stdin = Buffer.from(paths.map((path) => `${path}\0`).join(""), "latin1")
  for (const bit of ["--no-assume-unchanged", "--no-skip-worktree"]) // git takes one at a time
    await gitNeedingIndex(cwd, ["update-index", bit, "-z", "--stdin"], {
      stdin,
      env: indexEnv(indexFile),
    })
}

const exists = (cwd: string, path: GitPath): Promise<boolean> =>
  lstat(joinBytes(cwd, path)).then(
    () => true,
    () => false, // gone, or below a path that is no longer a folder
  )
