/** Refusals of an action on a task. */
import { AppError } from "../../../base/errors.ts"
import { type Actionable, possibleActions, possibleNow, verbOf } from "../rules/transitions.ts"
import type { TaskEvent } from "../rules.ts"
import type { Task } from "./row.ts"

/** The task's state does not accept the event. */
export class TransitionRefused extends AppError {
  readonly code = "task.refused"
  readonly blame = "user"
  override readonly hints: readonly string[]

  constructor(task: Pick<Task, "id" | "reason"> & Actionable, event: TaskEvent) {
    super(`Task ${task.id} is ${task.state}: it cannot ${verbOf(event)}.`)
    const possible = possibleActions(task)
    const text = possibleNow(task)
    this.hints = isOver(task.state) ? [over(task, possible.includes("land")), text] : [text]
  }
}

const isOver = (state: Task["state"]) => state === "complete" || state === "cancelled"

/** Hints on the possible actions of a finished task. */
function over(
  { id, state, reason, land, landingState }: Pick<Task, "id" | "reason"> & Actionable,
  canLand: boolean,
) {
  if (state === "cancelled") return "It is over; `coppice recover` lists what was saved of it."
  if (canLand) return `It is over, and its work is kept: \`coppice land ${id}\` lands its work.`
  if (reason?.code === "no_changes") return "It is over, and changed nothing."
  if (land === "none" && landingState === null)
    return "It is over, and its worktree is gone: another task of its work item may continue its work."
  return `It is over; \`coppice undo ${id}\` reverts what landed.`
}
