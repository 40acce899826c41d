/** Updates a task's record to the current place of its worktrees and branches. */
import { existsSync } from "node:fs"
import { readHead } from "../git/ask/head.ts"
import { isWorktreeOf } from "../git/ask/worktree-of.ts"
import type { Db } from "../store/open.ts"
import { findTask } from "../tasks/rows/find.ts"
import type { Task } from "../tasks/rows/row.ts"
import { followBranch } from "./follow-branch.ts"
import { followWorktree } from "./follow-worktree.ts"
import { mendBranch } from "./mend-branch.ts"

/**
 * A branch that is not the task's is not followed; the landing says why. @returns the updated task.
 */
export async function followTask(db: Db, task: Task): Promise<Task> {
  if (task.strategy !== "git_worktree") return task
  for (const recorded of task.repos) {
    const repo = followWorktree(db, task, recorded)
    const { worktree, path } = repo
    if (!worktree || !existsSync(worktree) || !(await isWorktreeOf(worktree, path))) continue
    await mendBranch(repo)
    const head = await readHead(worktree)
    if (head.kind !== "branch" || head.commit === undefined) continue
    await followBranch(db, task, repo, { worktree, ref: head.ref, commit: head.commit })
  }
  return findTask(db, task.id) ?? task
}
