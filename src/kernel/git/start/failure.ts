/**
 * Makes the error of a git that failed. Git rarely says that a disk is full or read-only, so we look
 * at each disk that it may have written to.
 */
import { findDiskTrouble } from "../../process/disk.ts"
import { GitError, type GitResult } from "./errors.ts"
import { commonDirOf, findGitDir } from "./git-dir.ts"

export type FailedGit = {
  readonly args: readonly string[]
  readonly result: GitResult
  /** The value of GIT_DIR, if it was set. */
  readonly gitDir?: string | undefined
}

export async function gitFailure(
  cwd: string,
  { args, result, gitDir = findCommonDir(cwd) }: FailedGit,
): Promise<GitError> {
  const troubles = await Promise.all([cwd, gitDir ?? cwd].map(findDiskTrouble))
  return new GitError(args, result, { disk: troubles.find((trouble) => trouble !== undefined) })
}

/** A linked worktree may be on another disk than its repository. */
function findCommonDir(cwd: string): string | undefined {
  try {
    const dir = findGitDir(cwd)
    return dir && commonDirOf(dir)
  } catch {
    return undefined // unreadable; git has said so
  }
}
