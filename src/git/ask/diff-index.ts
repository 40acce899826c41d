/** `git diff-index --cached`: whether an index differs from its commit. */
import { git } from "../start/exec.ts"

/** For a worktree without its files. @param gitDir its own. True if git cannot tell. */
export async function isIndexChanged(cwd: string, gitDir: string): Promise<boolean> {
  const args = ["diff-index", "--cached", "--quiet", "HEAD", "--"]
  const { exitCode } = await git(cwd, args, { env: { GIT_DIR: gitDir }, answers: [0, 1, 128] })
  return exitCode !== 0
}
