/** `git worktree repair`: links the main worktree and the linked ones again after a move of either. */
import { git } from "../start/exec.ts"

/** @param moved the new places of linked worktrees that moved as well. */
export async function repairWorktrees(repo: string, moved: readonly string[]): Promise<void> {
  await git(repo, ["worktree", "repair", "--", ...moved])
}
