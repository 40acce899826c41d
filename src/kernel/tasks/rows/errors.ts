/** Refusals of an action on a task. */
import { AppError } from "../../../base/errors.ts"
import type { TaskId } from "../../../base/ids.ts"
import type { Db } from "../../store/open.ts"
import { type Actionable, possibleActions, possibleNow, verbOf } from "../rules/transitions.ts"
import type { TaskEvent } from "../rules.ts"
import { listOpenQuestions } from "./questions/list.ts"
import type { Task } from "./row.ts"

/** The task's state does not accept the event. */
export class TransitionRefused extends AppError {
  constructor(db: Db, task: Pick<Task, "id" | "reason"> & Actionable, event: TaskEvent) {
    const possible = possibleActions(task)
    const text = possibleNow(task)
    const first = isOver(task.state) ? over(task, possible.includes("land")) : asked(db, task.id)
    super("task.refused", "user", `Task ${task.id} is ${task.state}: it cannot ${verbOf(event)}.`, {
      hints: first === undefined ? [text] : [first, text],
    })
  }
}

const isOver = (state: Task["state"]) => state === "complete" || state === "cancelled"

/** The command that answers the first open question. */
function asked(db: Db, id: TaskId): string | undefined {
  const questions = listOpenQuestions(db, id)
  const [first] = questions
  if (!first) return undefined
  const which = questions.length > 1 ? ` --question ${first.id}` : ""
  const answer = first.kind === "proposal" ? "accept` or `decline" : '"<answer>"'
  return `It waits for an answer: \`coppice answer ${id}${which} ${answer}\`.`
}

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
