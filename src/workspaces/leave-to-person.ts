/** Gives a worktree up to a person who wants to keep it: no clean-up takes it for ours any more. */
import { findGitDir } from "../git/worktrees/git-dir.ts"
import { forgetOwner } from "./git-worktree/ownership.ts"

/** @param worktree one that is gone is fine. */
export async function leaveToPerson(worktree: string): Promise<void> {
  const gitDir = findGitDir(worktree)
  if (gitDir !== undefined) await forgetOwner(gitDir)
}
