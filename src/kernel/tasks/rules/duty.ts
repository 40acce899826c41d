/**
 * The duty of the jobs loop towards a task, as one table over its state. Pure.
 *
 * A requested deletion goes first. It is not a state: if it fails, the task continues in the state that it has.
 */
import type { TaskState } from "../rules.ts"

export type Duty =
  | "begin" // opens its first turn, then runs it
  | "run" // runs its turns when they are due
  | "wait" // lets its agent end its turn, or wait for the verdict on it
  | "stop" // ends its agent; an open turn stays open
  | "clean" // removes what it left
  | "delete" // likewise, and then its record

const DUTIES: Readonly<Record<TaskState, Duty>> = {
  registered: "begin",
  planning: "run",
  planning_complete: "wait",
  working: "run",
  shipping: "stop",
  reviews_in_progress: "stop",
  pr_ready: "stop",
  in_approval: "wait",
  merging: "wait",
  merge_failed: "stop",
  stuck: "stop",
  paused: "stop",
  complete: "stop",
  cancelled: "clean",
}

type Stoppable = { readonly state: TaskState; readonly deletion: string | null }

/** @param task a review leaves nothing behind: its worktree goes with its end. */
export function dutyOf(task: Stoppable & { readonly reviewOf: unknown }): Duty {
  if (task.deletion !== null) return "delete"
  return task.state === "complete" && task.reviewOf !== null ? "clean" : DUTIES[task.state]
}

/** Whether its turn and its landing stop where they are, and may go on later. */
export const isHalted = ({ state, deletion }: Stoppable): boolean =>
  state === "paused" || deletion !== null
