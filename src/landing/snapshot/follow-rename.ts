/** Follows the worktree where the agent renamed its branch; anything else on HEAD is not this task's. */
import { branchOf, branchRef, type Oid, type RefName } from "../../core/ids.ts"
import { isAncestor } from "../../git/history/merge-base.ts"
import { readReflog } from "../../git/refs/reflog.ts"
import { readCommit } from "../../git/repository/rev-parse.ts"
import { recordBranch } from "../../store/task-repos/record-branch.ts"
import { listCalled } from "../../store/tasks/resolve.ts"
import type { Task, TaskRepo } from "../../store/tasks/row.ts"
import type { LandingStep } from "../action.ts"

/** @returns why what the worktree stands on is not the task's branch. */
export async function followRename(
  { context, task }: LandingStep,
  repo: TaskRepo,
  { ref, commit }: { ref: RefName; commit: Oid },
): Promise<string | undefined> {
  const branch = branchOf(ref)
  if (branch === repo.branch) return undefined
  if (branch === repo.target) return `the worktree stands on ${branch}, which is the target itself`
  // A rename leaves nothing behind. A branch that the agent switched to may be a person's.
  if (await readCommit(repo.path, branchRef(repo.branch ?? "")))
    return `the worktree stands on ${branch} instead of ${repo.branch}`
  if (repo.base && !(await isAncestor(repo.path, repo.base, commit)))
    return `the worktree stands on ${branch}, which does not come from ${repo.branch}`
  if (!(await isOfTask(task, repo, ref)))
    return `the worktree stands on ${branch}, which was there before this task`
  const [other] = listCalled(context.db, branch, task.id)
  if (other !== undefined)
    return `the worktree stands on ${branch}, which is what task ${other} is called`
  recordBranch(context.db, { task: task.id, name: repo.name, branch })
  return undefined
}

/** Its log goes along with a branch that is renamed; and what is younger than the task is its agent's. */
async function isOfTask(
  { createdAtMs }: Task,
  { path, branch }: TaskRepo,
  ref: RefName,
): Promise<boolean> {
  const log = await readReflog(path, ref)
  const renamed = `Branch: renamed ${branchRef(branch ?? "")} to `
  if (log.some(({ reason }) => reason.startsWith(renamed))) return true
  const born = log.at(-1)
  return born !== undefined && born.atMs >= Math.floor(createdAtMs / 1000) * 1000
}
