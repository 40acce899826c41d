/**
 * The branch of a set-up that was cut short. It is used again, with any commit that a person has
 * made on it since.
 *
 * A branch must not be deleted and made again at the same commit. A `git pack-refs` that runs then
 * takes the new ref for the old one, which it has packed, and removes it.
 */

import { branchRef, type Oid } from "../../../base/ids.ts"
import { fnv1a } from "../../../base/text/hash.ts"
import { readReflog } from "../../git/ask/reflog.ts"
import { readCommit } from "../../git/ask/rev-parse.ts"
import { withRepoLock } from "../locks/repo-lock.ts"
import type { Rescue } from "../rescue/rescue.ts"
import type { Owner } from "../task-refs.ts"
import type { LeftBranch, MadeBranch, TornDown } from "../workspace.ts"
import { deleteUnused, findUser } from "./delete-unused.ts"
import { readRepository, type WorktreeContext } from "./worktree-context.ts"

/** The log message of a branch that a set-up makes. */
export const madeFor = ({ home, task }: Owner): string =>
  `coppice: made for task ${task} of home ${fnv1a(home)}`
/** How the log of a branch of ours begins, also if `git switch --create` made it. */
const BIRTH = /^(coppice: made for task |branch: Created from HEAD$)/

/** @returns the branch's tip; undefined if it is gone, a person's, or checked out somewhere. */
export async function findLeftTip(repo: string, made: MadeBranch): Promise<Oid | undefined> {
  const tip = await readOwnTip(repo, made)
  const user = tip && (await findUser(repo, branchRef(made.branch)))
  return user === undefined ? tip : undefined
}

/** Removes the branch of a task that ends. Later commits on it are saved. @throws {RefBusyError} */
export async function removeLeftBranch(
  { home, lockedMsMax }: WorktreeContext,
  { repo, task, made, safeCommits, reason }: LeftBranch,
): Promise<Pick<TornDown, "rescued" | "notices">> {
  const { root, commonDir } = await readRepository(repo)
  const rescued: Rescue[] = []
  const { branch, at: tip } = made
  const unused = { home, lockedMsMax, task, branch, tip, safeCommits, reason, rescued }
  const left = await withRepoLock(commonDir, async () => {
    const own = await readOwnTip(root, made)
    return own && (await deleteUnused(root, unused))
  })
  return { rescued, notices: left ? [left] : [] }
}

/** A person may have made a branch of that name before we could: then it begins elsewhere. */
async function readOwnTip(repo: string, { branch, at }: MadeBranch): Promise<Oid | undefined> {
  const ref = branchRef(branch)
  const tip = await readCommit(repo, ref)
  if (tip === undefined || tip === at) return tip
  const birth = (await readReflog(repo, ref)).at(-1)
  return birth && birth.oid === at && BIRTH.test(birth.reason) ? tip : undefined
}
