/**
 * Has the task's worktrees for an action alone, where it may touch them (law 6).
 *
 * A task's own turn has ended before its landing begins, so they are normally free. A sibling's turn
 * may run in one: then the landing waits, and holds nothing meanwhile.
 */
import type { LandingState } from "../core/landing.ts"
import { findSharer } from "../store/task-repos/find-sharer.ts"
import type { Action, LandingStep, Outcome } from "./action.ts"
import { blocked } from "./blocked.ts"

const TOUCHING: readonly LandingState[] = ["snapshotting", "syncing", "gating", "cleaning"]

export async function haveWorktrees(step: LandingStep, action: Action): Promise<Outcome | "later"> {
  const { context, landing, task, signal } = step
  if (!TOUCHING.includes(landing.state)) return await action(step)
  const worktrees = task.repos.flatMap(({ worktree }) => worktree ?? [])
  const timeoutMs = context.agentConfig(task.agent).landing.lockTimeoutMs
  using lease = await context.taskLock.worktrees.own(worktrees, {
    task: task.id,
    timeoutMs,
    signal,
  })
  if (lease) return await action(step)
  if (landing.state === "cleaning") return "later"
  return blocked(step, "LOCKED", {
    reason: `${whoWorks(step)} works in ${worktrees.join(", ")}`,
    worktrees,
  })
}

/** A sibling whose turn it is; the task's own agent when it asks for it before its turn has ended. */
function whoWorks({ context, task }: LandingStep): string {
  const siblings = task.repos.flatMap(({ path, branch, worktree }) =>
    worktree === null
      ? []
      : (findSharer(context.db, { task: task.id, path, branch, worktree }) ?? []),
  )
  return siblings[0] === undefined ? "an agent" : `the agent of task ${siblings[0]}`
}
