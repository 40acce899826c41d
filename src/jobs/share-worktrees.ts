/** Shares the task's worktrees while a turn runs. Between two turns a landing may lock them. */
import type { SessionStart } from "../runtimes/runtime.ts"
import type { Task } from "../store/tasks/row.ts"
import type { JobsContext } from "./context.ts"

type Sharing = Disposable & { readonly start: SessionStart }

/** @throws {Error} the reason of `signal` when it aborts while another task has them locked. */
export async function shareWorktrees(
  { taskLock, world }: JobsContext,
  { id: task, repos }: Task,
  start: SessionStart,
  signal: AbortSignal,
): Promise<Sharing> {
  const worktrees = repos.flatMap(({ worktree }) => worktree ?? [])
  const share = () => taskLock.worktrees.share(worktrees, { task, sinceMs: world.nowMs(), signal })
  let lease = await share()
  const turnEnded: SessionStart["turnEnded"] = async (end) => {
    lease.release()
    const next = await start.turnEnded(end)
    if (next) lease = await share()
    return next
  }
  return { start: { ...start, turnEnded }, [Symbol.dispose]: () => lease.release() }
}
