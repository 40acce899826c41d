/** `git worktree remove`: forgets a linked worktree after its folder was renamed. */

import { listWorktrees } from "../ask/worktree-list.ts"
import { git } from "../start/exec.ts"

/**
 * Removes a worktree whose folder is gone, also a locked or half-made one. Safe to repeat.
 *
 * Checks nothing. Only `kernel/workspaces/removal.ts` calls it: it knows which worktrees are Coppice's,
 * and holds the repository's lock.
 *
 * @param cwd outside that worktree.
 */
export async function removeWorktree(cwd: string, path: string): Promise<void> {
  const args = ["worktree", "remove", "--force", "--force", "--", path]
  const { exitCode } = await git(cwd, args, { answers: [0, 128] })
  if (exitCode !== 0 && (await isKnown(cwd, path))) await git(cwd, args)
}

/** Git refuses a worktree that it does not know, e.g. because it was removed before. */
async function isKnown(cwd: string, path: string): Promise<boolean> {
  return (await listWorktrees(cwd)).some((worktree) => worktree.path === path)
}
