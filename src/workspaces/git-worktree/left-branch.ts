/**
 * The branch of a set-up that was cut short, unless the branch has moved since.
 *
 * A branch must not be deleted and made again at the same commit. A `git pack-refs` that runs then
 * takes the new ref for the old one, which it has packed, and removes it.
 */
import { fnv1a } from "../../core/hash.ts"
import { branchRef, type Oid } from "../../core/ids.ts"
import { readCommit } from "../../git/ask/rev-parse.ts"
import { listWorktrees } from "../../git/ask/worktree-list.ts"
import { deleteBranch } from "../../git/change/branches.ts"
import { RefBusyError } from "../errors.ts"
import type { Owner } from "../task-refs.ts"
import type { MadeBranch } from "../workspace.ts"

/** The log message of a branch that a set-up makes. */
export const madeFor = ({ home, task }: Owner): string =>
  `coppice: made for task ${task} of home ${fnv1a(home)}`

/** Whether it is as the set-up left it: checked out nowhere, and at the same commit. */
async function isLeft(repo: string, { branch, at }: MadeBranch): Promise<boolean> {
  const ref = branchRef(branch)
  if ((await readCommit(repo, ref)) !== at) return false
  return !(await listWorktrees(repo)).some((worktree) => worktree.branch === ref)
}

/**
 * Called under the repository's lock. Keeps a left branch for a set-up that starts at its commit, and
 * removes any other.
 *
 * @returns whether it is there for the set-up. @throws {RefBusyError} like {@link removeLeftBranch}
 */
export async function keepLeftBranch(repo: string, made: MadeBranch, base: Oid): Promise<boolean> {
  if (made.at === base) return await isLeft(repo, made)
  await removeLeftBranch(repo, made)
  return false
}

/**
 * Called under the repository's lock. A branch that is checked out, or has moved, stays.
 *
 * @throws {RefBusyError} while git holds its lock; the caller tries again.
 */
export async function removeLeftBranch(repo: string, made: MadeBranch): Promise<void> {
  if (!(await isLeft(repo, made))) return
  const { branch, at } = made
  const ref = branchRef(branch)
  const deletion = { branch, from: at, reason: "coppice: its set-up was cut short" }
  if ((await deleteBranch(repo, deletion)).kind === "locked") throw new RefBusyError(ref)
}
