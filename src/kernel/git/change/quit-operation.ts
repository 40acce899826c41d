/** `git merge --quit` and its like: forget an operation in progress. HEAD, index and files stay. */
import { findOperation } from "../ask/operation-in-progress.ts"
import { git } from "../start/exec.ts"

/** A cherry-pick or merge that stopped inside a rebase, and one more. */
const NESTED_MAX = 3

/** Ends what is in progress in the worktree. */
export async function quitOperations(cwd: string): Promise<void> {
  for (let n = 0; n < NESTED_MAX; n++) {
    const kind = await findOperation(cwd)
    if (!kind) return
    await git(cwd, kind === "bisect" ? ["bisect", "reset", "HEAD"] : [kind, "--quit"])
  }
}
