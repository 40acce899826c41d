/** `git diff-index --cached`: whether an index says something else than the commit below it. */
import { git } from "../exec.ts"

/** Of a worktree whose files are gone. @param gitDir its own. True where git cannot tell. */
export async function isIndexChanged(cwd: string, gitDir: string): Promise<boolean> {
  const args = ["diff-index", "--cached", "--quiet", "HEAD", "--"]
  const { exitCode } = await git(cwd, args, { env: { GIT_DIR: gitDir }, answers: [0, 1, 128] })
  return exitCode !== 0
}
