/** `git worktree prune`: forgets worktrees whose folders are gone. */
import { git } from "./exec.ts"

/** Only what has been gone for hours: an entry that is being made looks the same. */
const EXPIRY = "3.hours.ago"

export async function pruneWorktrees(cwd: string): Promise<void> {
  await git(cwd, ["worktree", "prune", `--expire=${EXPIRY}`])
}
