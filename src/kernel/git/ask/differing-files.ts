/**
 * Lists the files of a worktree whose content differs from a commit.
 *
 * An index remembers times and sizes, which any process with access to the worktree can forge. So
 * git reads each file again, against a fresh index of ours. Never writes in the worktree.
 */
import { join } from "node:path"
import type { GitPath, Oid } from "../../../base/ids.ts"
import { makeScratch } from "../../process/scratch.ts"
import { indexEnv } from "../start/environment.ts"
import { git } from "../start/exec.ts"
import { splitZ } from "../start/path.ts"
import { trueModes } from "./true-modes.ts"
import { assertOwnGitDir } from "./worktree-of.ts"

/**
 * @param cwd root of a worktree of an agent's, or of ours.
 * @returns tracked files alone, and no submodules.
 * @throws {NoWorktreeError}
 */
export async function listDifferingFiles(cwd: string, commit: Oid): Promise<GitPath[]> {
  assertOwnGitDir(cwd)
  using scratch = makeScratch()
  const env = indexEnv(join(scratch.path, "index"))
  const settings = { ...(await trueModes(cwd)), "core.sparseCheckout": "false" }
  await git(cwd, ["read-tree", commit], { env, settings })
  await git(cwd, ["update-index", "-q", "--refresh"], { env, settings, answers: [0, 1] })
  const args = ["diff-files", "--name-only", "-z", "--ignore-submodules=all"]
  return splitZ((await git(cwd, args, { env, settings })).stdout) as GitPath[]
}

/** For a worktree without its files. @param gitDir its own. True if git cannot tell. */
export async function isIndexChanged(cwd: string, gitDir: string): Promise<boolean> {
  const args = ["diff-index", "--cached", "--quiet", "HEAD", "--"]
  const { exitCode } = await git(cwd, args, { env: { GIT_DIR: gitDir }, answers: [0, 1, 128] })
  return exitCode !== 0
}
