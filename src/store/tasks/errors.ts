/** Refusals of what a person, or a step of the program, wants of a task. */
import { AppError } from "../../core/errors.ts"
import type { TaskEvent } from "../../core/task.ts"
import { type Actionable, possibleActions, verbOf } from "../../core/transitions.ts"
import type { Task } from "./row.ts"

/** The task's state does not accept the event. */
export class TransitionRefused extends AppError {
  override readonly name = "TransitionRefused"
  readonly code = "task.refused"
  readonly blame = "user"
  override readonly hints: readonly string[]

  constructor(task: Pick<Task, "id"> & Actionable, event: TaskEvent) {
    super(`Task ${task.id} is ${task.state}: it cannot ${verbOf(event)}.`)
    const possible = possibleActions(task)
    this.hints = [possible.length === 0 ? over(task) : `Possible now: ${possible.join(", ")}.`]
  }
}

/** What may be wanted of a task with which nothing can be done any more. */
function over({ id, state }: Pick<Task, "id" | "state">): string {
  if (state === "cancelled") return "It is over; `coppice recover` lists what was saved of it."
  if (state === "complete")
    return `It is over; \`coppice undo\` takes back what landed, by the number in \`coppice show ${id}\`.`
  return "Nothing can be done with it in this state, beside looking at it."
}
