/** The facts of a task's workspace, from what is recorded of it. */
import { assert } from "../core/assert.ts"
import type { Task, TaskRepo } from "../store/tasks/row.ts"
import type { WorkspaceFacts } from "./environment.ts"

/** @param repo one whose worktree is set up. */
export function workspaceFacts(task: Task, repo: TaskRepo, job: number): WorkspaceFacts {
  const { branch, worktree, base, target, path } = repo
  assert(branch && worktree && base, "a workspace that was set up is on record")
  const { id, title, workItem } = task
  return { task: id, title, job, worktree, branch, target, base, workItem, repo: path }
}
