/**
 * Locks the task's worktrees for an action that may touch them (law 6).
 *
 * A task's own turn ends before its landing begins, so they are normally free. If a sibling's turn
 * runs in one, the landing waits without holding anything.
 */
import type { LandingState } from "../core/landing.ts"
import { findSharer } from "../store/task-repos/list.ts"
import type { Action, LandingContext, Outcome, Rows, Step } from "./action.ts"
import { blocked } from "./blocked.ts"

const TOUCHING: readonly LandingState[] = ["snapshotting", "syncing", "gating", "cleaning"]

export async function withWorktreesLocked(
  step: Step<LandingContext>,
  action: Action,
): Promise<Outcome | "later"> {
  const { context, landing, task, signal } = step
  if (!TOUCHING.includes(landing.state)) return await action(step)
  const worktrees = task.repos.flatMap(({ worktree }) => worktree ?? [])
  const timeoutMs = context.agentConfig(task).landing.lockTimeoutMs
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

/** Names a sibling with an open turn, or the task's own agent if its turn has not ended. */
function whoWorks({ context, task }: Step<Rows>): string {
  const siblings = task.repos.flatMap(({ path, branch, worktree }) =>
    worktree === null
      ? []
      : (findSharer(context.db, { task: task.id, path, branch, worktree }) ?? []),
  )
  return siblings[0] === undefined ? "an agent" : `the agent of task ${siblings[0]}`
}
