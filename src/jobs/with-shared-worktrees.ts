/**
 * Does something in a task's worktrees as its turns do, never while a landing of another task has
 * them locked.
 */
import type { Task } from "../store/tasks/row.ts"
import type { JobsContext } from "./context.ts"

/** @throws {Error} the reason of `signal` when it aborts while another task has them locked. */
export async function withSharedWorktrees<T>(
  { taskLock, world }: Pick<JobsContext, "taskLock" | "world">,
  { id: task, repos }: Pick<Task, "id" | "repos">,
  signal: AbortSignal,
  act: () => Promise<T>,
): Promise<T> {
  const worktrees = repos.flatMap(({ worktree }) => worktree ?? [])
  using _lease = await taskLock.worktrees.share(worktrees, {
    task,
    sinceMs: world.nowMs(),
    signal,
  })
  return await act()
}
