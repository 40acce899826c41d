/**
 * `git ls-files -v`: files whose changes git was told not to look for.
 *
 * `update-index --assume-unchanged` and `--skip-worktree` are requests to overlook edits. In the
 * worktree of an agent they would hide its work from us and let a gate test what no commit holds.
 * A user's own checkout keeps its bits: never call this there.
 */
import { lstat } from "node:fs/promises"
import { join } from "node:path"
import type { GitPath } from "../../core/ids.ts"
import { git } from "../exec.ts"
import { joinBytes, splitZ } from "../path.ts"
import { gitDir } from "../repository/rev-parse.ts"
import { assertReadable } from "../worktrees/linked-worktrees.ts"
import { assertOwnGitDir } from "../worktrees/worktree-of.ts"
import { gitNeedingIndex, indexEnv } from "./index-lock.ts"

/** Lower case: assumed unchanged; `S`: to be skipped. */
const HIDDEN = /^[a-zS] /

/** An index other than the worktree's own, absolute. */
type IndexOption = { readonly indexFile?: string }

/**
 * Makes git look at every file that is there. Runs in the worktree's root.
 *
 * One that is hidden and absent stays hidden: to reveal it is to say that it was deleted, which
 * somebody who made the worktree sparse did not mean.
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
 * Makes git look at all files, so that those that are absent can be put back. Outcomes as above.
 *
 * @returns those that are absent.
 */
export async function revealAll(cwd: string): Promise<readonly GitPath[]> {
  assertOwnGitDir(cwd)
  const hidden = await listHidden(cwd)
  const present = await Promise.all(hidden.map((path) => exists(cwd, path)))
  await reveal(cwd, hidden)
  return hidden.filter((_, n) => !present[n])
}

/** The paths whose edits git was told to overlook; also of a user's own checkout. */
export async function listHidden(cwd: string, { indexFile }: IndexOption = {}): Promise<GitPath[]> {
  assertReadable(indexFile ?? join(await gitDir(cwd), "index"))
  const { stdout } = await git(cwd, ["ls-files", "-v", "-z"], { env: indexEnv(indexFile) })
  const lines = splitZ(stdout).filter((line) => HIDDEN.test(line))
  return lines.map((line) => line.slice(2) as GitPath)
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
    () => false, // gone, or below a path that is no folder any more
  )
