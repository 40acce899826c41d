/** Sends a person's message to a task's agent. */
import { hasTurns } from "../../core/task.ts"
import { possibleActions, possibleNow } from "../../core/transitions.ts"
import type { SaidWords } from "../../core/wire/requests.ts"
import { findLandingOfTask } from "../../store/landings/find.ts"
import { recordLanding } from "../../store/landings/record.ts"
import { addMessage } from "../../store/messages.ts"
import { transaction } from "../../store/sql.ts"
import { recordTask } from "../../store/tasks/record.ts"
import type { Task } from "../../store/tasks/row.ts"
import { openReplyTurn } from "../../store/turns/open.ts"
import { DaemonError } from "../errors.ts"
import type { FleetRows } from "../home.ts"

/**
 * It is the next turn of the same session, after the running one. Work in review returns to its
 * agent together with the message. It is stored until then, so it survives the daemon.
 *
 * @throws {DaemonError} `task.refused` (user) if no agent will have a turn, with an alternative.
 */
export function say({ db, world }: FleetRows, task: Task, { text }: SaidWords): void {
  if (!possibleActions(task).includes("say")) throw nobodyListens(task)
  transaction(db, () => {
    const nowMs = world.nowMs()
    addMessage(db, { task: task.id, text }, nowMs)
    // Its agent waits for a person: for an answer, or for the review of its work.
    if (hasTurns(task.state)) openReplyTurn(db, task.id, nowMs)
    if (task.state !== "in_approval") return
    const landing = findLandingOfTask(db, task.id)
    if (landing?.state !== "in_review") throw nobodyListens(task)
    recordLanding(db, landing, { event: "rejected", reason: text }, nowMs)
    recordTask(db, task, { event: "told" }, nowMs)
    openReplyTurn(db, task.id, nowMs)
  })
}

function nobodyListens(task: Task): DaemonError {
  const { id, state, agent } = task
  const message = `Task ${id} is ${state}: its agent takes no messages.`
  if (agent === null)
    return new DaemonError("task.refused", `No agent does the work of task ${id}.`, [
      possibleNow(task),
    ])
  const instead: Partial<Record<Task["state"], string>> = {
    planning_complete: `\`coppice reject ${id} "<words>"\` sends its plan back with your words.`,
    merging: `Once it is complete, \`coppice resume ${id} "<words>"\` continues it with your words.`,
    complete: `\`coppice resume ${id} "<words>"\` continues in the same conversation.`,
    paused: `\`coppice resume ${id} "<words>"\` continues it, and its agent gets your words then.`,
    stuck: `\`coppice restart ${id} "<words>"\` starts it again with your words.`,
    merge_failed: `\`coppice restart ${id} "<words>"\` starts it again with your words.`,
  }
  return new DaemonError("task.refused", message, [instead[state] ?? possibleNow(task)])
}
