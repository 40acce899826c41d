/** Does something in a task's worktrees as its turns do: a sibling's landing never has them meanwhile. */
import type { Task } from "../store/tasks/row.ts"
import type { JobsContext } from "./context.ts"

/** @throws `signal`'s reason when it aborts while somebody has them alone. */
export async function whileSharing<T>(
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
