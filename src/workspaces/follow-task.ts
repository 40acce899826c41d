/** Updates a task's record to the current place of its worktrees and branches. */
import { existsSync } from "node:fs"
import { type Head, readHead } from "../git/ask/head.ts"
import { findRenamed } from "../git/ask/reflog.ts"
import { readCommit } from "../git/ask/rev-parse.ts"
import { isWorktreeOf } from "../git/ask/worktree-of.ts"
import type { Db } from "../store/open.ts"
import { findTask } from "../store/tasks/find.ts"
import type { Task } from "../store/tasks/row.ts"
import { followBranch } from "./follow-branch.ts"
import { followWorktree } from "./follow-worktree.ts"

/**
 * A branch that is not the task's is not followed; the landing says why. @returns the updated task.
 */
export async function followTask(db: Db, task: Task): Promise<Task> {
  if (task.strategy !== "git_worktree") return task
  for (const recorded of task.repos) {
    const repo = followWorktree(db, task, recorded)
    const { worktree, path } = repo
    if (!worktree || !existsSync(worktree) || !(await isWorktreeOf(worktree, path))) continue
    const head = await readHead(worktree)
    const ref = head.kind === "branch" && (await currentName(path, head))
    const commit = ref && (await readCommit(path, ref))
    if (commit) await followBranch(db, task, repo, { worktree, ref, commit })
  }
  return findTask(db, task.id) ?? task
}

/** A `git branch -m` that was killed has renamed the branch, and HEAD still has its old name. */
const currentName = async (repo: string, { ref, commit }: Head & { readonly kind: "branch" }) =>
  commit === undefined ? await findRenamed(repo, ref) : ref
