/** Removes the branch of a set-up that was cut short, unless the branch has moved since. */
import { fnv1a } from "../../core/hash.ts"
import { branchRef } from "../../core/ids.ts"
import { readCommit } from "../../git/ask/rev-parse.ts"
import { listWorktrees } from "../../git/ask/worktree-list.ts"
import { deleteBranch } from "../../git/change/branches.ts"
import { RefBusyError } from "../errors.ts"
import type { Owner } from "../task-refs.ts"
import type { MadeBranch } from "../workspace.ts"

/** The log message of a branch that a set-up makes. */
export const madeFor = ({ home, task }: Owner): string =>
  `coppice: made for task ${task} of home ${fnv1a(home)}`

/**
 * Called under the repository's lock. A branch that is checked out, or has moved, stays.
 *
 * @throws {RefBusyError} while git holds its lock; the caller tries again.
 */
export async function removeLeftBranch(repo: string, { branch, at }: MadeBranch): Promise<void> {
  const ref = branchRef(branch)
  if ((await readCommit(repo, ref)) !== at) return
  if ((await listWorktrees(repo)).some((worktree) => worktree.branch === ref)) return
  const deletion = { branch, from: at, reason: "coppice: its set-up was cut short" }
  if ((await deleteBranch(repo, deletion)).kind === "locked") throw new RefBusyError(ref)
}
