/**
 * Takes back a `git branch -m` that was killed in a task's worktree. HEAD then names a branch that does
 * not exist: the work looks lost, and the next commit would have no parent.
 *
 * Git deletes the old branch, makes the new one, and then changes HEAD. So the old one gets back the
 * commit on which HEAD stood, by the log of HEAD, and a new one at that commit goes.
 */
import { existsSync } from "node:fs"
import { branchOf, branchRef, type Oid, type RefName } from "../../base/ids.ts"
import { readHead } from "../git/ask/head.ts"
import { listLogged } from "../git/ask/logged-commits.ts"
import { findRenamed } from "../git/ask/reflog.ts"
import { gitDir } from "../git/ask/rev-parse.ts"
import { listWorktrees } from "../git/ask/worktree-list.ts"
import { isWorktreeOf } from "../git/ask/worktree-of.ts"
import { deleteBranch } from "../git/change/branches.ts"
import { updateRef } from "../git/change/update-ref.ts"
import { commonDirOf } from "../git/start/git-dir.ts"
import type { TaskRepo } from "../tasks/rows/row.ts"
import { RefBusyError } from "./errors.ts"
import { withRepoLock } from "./locks/repo-lock.ts"

const REASON = "coppice: a rename was cut off"

type Made = Pick<TaskRepo, "path" | "branch" | "target" | "worktree">

/** @throws {RefBusyError} while the killed git's locks are there. */
export async function mendBranch({ path, branch, target, worktree }: Made): Promise<void> {
  if (branch === null || worktree === null || !existsSync(worktree)) return
  if (!(await isWorktreeOf(worktree, path))) return
  const ref = branchRef(branch)
  const head = await readHead(worktree)
  if (head.kind !== "branch" || head.commit !== undefined || head.ref !== ref) return
  const [last] = await listLogged(await gitDir(worktree), undefined)
  if (last === undefined) return
  const renamed = await findRenamed(path, ref)
  // First: if we are killed in between, the next look finds the rename as if git had just begun.
  if (renamed !== undefined && renamed !== branchRef(target)) await drop(path, renamed, last)
  const { kind } = await updateRef(path, { ref, from: null, to: last, reason: REASON })
  if (kind === "locked") throw new RefBusyError(ref)
}

/** A branch that is checked out, or has other commits, stays. @param from its commit, which is safe. */
async function drop(repo: string, ref: RefName, from: Oid): Promise<void> {
  await withRepoLock(commonDirOf(await gitDir(repo)), async () => {
    if ((await listWorktrees(repo)).some(({ branch }) => branch === ref)) return
    const { kind } = await deleteBranch(repo, { branch: branchOf(ref), from, reason: REASON })
    if (kind === "locked") throw new RefBusyError(ref)
  })
}
