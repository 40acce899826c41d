/**
 * Deletes the branch of a task whose worktree is gone, by compare-and-delete.
 *
 * A commit that arrived after the tip was read is saved first: none can be made in the worktree any
 * more.
 */
import { setTimeout as delay } from "node:timers/promises"
import { branchRef, type Oid, type RefName } from "../../../base/ids.ts"
import { isCheckedOutNowhere } from "../../git/ask/heads.ts"
import { readCommit } from "../../git/ask/rev-parse.ts"
import { listWorktrees } from "../../git/ask/worktree-list.ts"
import { deleteBranch } from "../../git/change/branches.ts"
import { waitingFor } from "../../waits/waits.ts"
import { RefBusyError } from "../errors.ts"
import { type Rescue, rescueCommit } from "../rescue/rescue.ts"
import type { WorkspaceToRemove } from "../workspace.ts"
import type { WorktreeContext } from "./worktree-context.ts"

const LOCKED_POLL_MS = 50
/** How many later commits are saved, e.g. by `git branch --force` of a script. */
const LATE_MAX = 3

type Unused = Pick<WorktreeContext, "lockedMsMax" | "home"> &
  Pick<WorkspaceToRemove, "task" | "branch" | "safeCommits" | "reason"> & {
    /** The tip that is saved; undefined: there was no branch. */
    readonly tip: Oid | undefined
    /** Gets the rescues of later commits. */
    readonly rescued: Rescue[]
  }

/**
 * Called under the repository's lock.
 *
 * @returns why it is still there, or undefined when it is gone. @throws {RefBusyError}
 */
export async function deleteUnused(repo: string, unused: Unused): Promise<string | undefined> {
  const { branch, home, task, safeCommits, reason, rescued } = unused
  if (branch === undefined) return undefined
  const ref = branchRef(branch)
  let { tip } = unused
  for (let late = 0; tip !== undefined && late <= LATE_MAX; late++) {
    const user = await findUser(repo, ref)
    if (user !== undefined) return `The branch ${branch} is kept: it is checked out in ${user}.`
    if (await deleteAt(repo, { ...unused, branch, tip })) return undefined
    tip = await readCommit(repo, ref)
    const owner = { home, task }
    const rescue = tip && (await rescueCommit(repo, tip, { owner, safeCommits, reason }))
    if (rescue) rescued.push(rescue)
  }
  return tip && `The branch ${branch} is kept: new commits arrive on it.`
}

/** @returns the worktree in which it is checked out. */
export async function findUser(repo: string, ref: RefName): Promise<string | undefined> {
  if (isCheckedOutNowhere(repo, ref)) return undefined
  return (await listWorktrees(repo)).find(({ branch }) => branch === ref)?.path
}

type At = Pick<Unused, "lockedMsMax" | "reason"> & { readonly branch: string; readonly tip: Oid }

/** @returns false if it is at another commit, or gone. @throws {RefBusyError} */
async function deleteAt(repo: string, { branch, tip, reason, lockedMsMax }: At): Promise<boolean> {
  const deletion = { branch, from: tip, reason: `coppice: ${reason}` }
  let { kind } = await deleteBranch(repo, deletion)
  const endMs = performance.now() + lockedMsMax
  const tryAgain = async () => {
    while (kind === "locked" && performance.now() < endMs) {
      await delay(LOCKED_POLL_MS)
      kind = (await deleteBranch(repo, deletion)).kind
    }
  }
  if (kind === "locked") await waitingFor(lockOn(branch), tryAgain)
  if (kind === "locked") throw new RefBusyError(branchRef(branch))
  return kind === "moved"
}

const lockOn = (branch: string) => ({
  text: `another git, which holds a lock, so that the branch ${branch} can be deleted`,
  unblock: "that git ends; a lock of a git that has died is removed within a minute",
})
