/**
 * Mends a task's worktree after a `git branch -m` that was killed. HEAD then names a branch that does
 * not exist: the work looks lost, and the next commit would have no parent.
 *
 * Git deletes the old branch, makes the new one, and then changes HEAD. If the new one exists, HEAD
 * gets its name. If not, the old one gets back the commit on which HEAD stood, by the log of HEAD.
 */
import { existsSync } from "node:fs"
import { branchRef } from "../core/ids.ts"
import { readHead } from "../git/ask/head.ts"
import { listLogged } from "../git/ask/logged-commits.ts"
import { findRenamed } from "../git/ask/reflog.ts"
import { gitDir } from "../git/ask/rev-parse.ts"
import { isWorktreeOf } from "../git/ask/worktree-of.ts"
import { attachHead } from "../git/change/attach-head.ts"
import { updateRef } from "../git/change/update-ref.ts"
import type { TaskRepo } from "../store/tasks/row.ts"
import { RefBusyError } from "./errors.ts"

const REASON = "coppice: a rename was cut off"

type Made = Pick<TaskRepo, "path" | "branch" | "target" | "worktree">

/** @throws {RefBusyError} while the killed git's locks are there. */
export async function mendBranch({ path, branch, target, worktree }: Made): Promise<void> {
  if (branch === null || worktree === null || !existsSync(worktree)) return
  if (!(await isWorktreeOf(worktree, path))) return
  const ref = branchRef(branch)
  const head = await readHead(worktree)
  if (head.kind !== "branch" || head.commit !== undefined || head.ref !== ref) return
  const renamed = await findRenamed(path, ref)
  if (renamed !== undefined && renamed !== branchRef(target)) {
    if (!(await attachHead(worktree, renamed, REASON))) throw new RefBusyError(renamed)
    return
  }
  const [last] = await listLogged(await gitDir(worktree), undefined)
  if (last === undefined) return
  const { kind } = await updateRef(path, { ref, from: null, to: last, reason: REASON })
  if (kind === "locked") throw new RefBusyError(ref)
}
