/** Whether a landing that waits for a lock still does: another git's, or a turn's on a worktree. */
import { existsSync } from "node:fs"
import { clearDeadLocks } from "../../workspaces/locks/dead-locks.ts"
import type { LandingStep } from "../action.ts"
import type { WaitDetails } from "../blocked.ts"

export async function isStillLocked({ context, landing, task, signal }: LandingStep) {
  const { paths = [], worktrees = [] } = (landing.details ?? {}) as Partial<WaitDetails>
  if (worktrees.length === 0) {
    for (const { path } of landing.repos) await clearDeadLocks(path)
    return paths.some((path) => existsSync(path))
  }
  // Queued with the turns like the landing itself, so that a stream of turns never starves it.
  const timeoutMs = context.agentConfig(task.agent).landing.lockTimeoutMs
  using lease = await context.taskLock.worktrees.own(worktrees, {
    task: task.id,
    timeoutMs,
    signal,
  })
  return lease === undefined
}
