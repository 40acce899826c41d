/** Whether a folder is still the worktree that it was set up as: whoever works there can change that. */
import { realpath } from "node:fs/promises"
import { commonDirOf, findGitDir } from "./git-dir.ts"
import { gitDir } from "./rev-parse.ts"

/**
 * Whether `root` is the root of a worktree of the repository `repo`. Where it is not, git would work
 * on another repository: one that was made there, or the next one upwards.
 */
export async function isWorktreeOf(root: string, repo: string): Promise<boolean> {
  const own = findGitDir(root)
  if (own === undefined) return false
  const whole = commonDirOf(await gitDir(repo))
  return (await realpath(commonDirOf(own))) === (await realpath(whole))
}
