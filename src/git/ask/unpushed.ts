/** `git rev-list`: whether a repository holds commits that no remote is known to have. */
import type { Oid } from "../../core/ids.ts"
import { git } from "../start/exec.ts"

/** Looks at HEAD and every ref but tags. In doubt, e.g. after a shallow fetch, true. */
export async function hasUnpushed(cwd: string): Promise<boolean> {
  const mine = ["--exclude=refs/tags/*", "--exclude=refs/remotes/*", "--all"]
  const args = ["rev-list", "--max-count=1", ...mine, "--not", "--remotes", "--tags"]
  return (await git(cwd, args)).stdout !== ""
}

/**
 * Tells whether a repository has a commit, and whether a remote is known to have it too.
 *
 * @param gitDir of a submodule, which need not have files.
 */
export async function lookAtCommit(
  gitDir: string,
  commit: Oid,
): Promise<"pushed" | "unpushed" | "absent"> {
  const args = ["rev-list", "--max-count=1", commit, "--not", "--remotes", "--tags"]
  const env = { GIT_DIR: gitDir, GIT_WORK_TREE: gitDir }
  const { exitCode, stdout } = await git(gitDir, args, { answers: [0, 128], env })
  if (exitCode !== 0) return "absent"
  return stdout === "" ? "pushed" : "unpushed"
}
