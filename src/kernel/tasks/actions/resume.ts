/** Resumes a task: a paused one where it was, a complete one with more work. */

import type { Words } from "../../../api/wire/requests.ts"
import { assert } from "../../../base/assert.ts"
import { DaemonError } from "../../errors.ts"
import type { FleetRows } from "../../home.ts"
import { resubmitPaused } from "../../landing/rows/record.ts"
import { isLanding } from "../../landing/rules/landing-states.ts"
import { transaction } from "../../store/sql.ts"
import { resumePrompt } from "../prompts/messages.ts"
import type { Attachments } from "../rows/attached.ts"
import { TransitionRefused } from "../rows/errors.ts"
import { findTask } from "../rows/find.ts"
import { continueJob } from "../rows/jobs/record.ts"
import { recordTask } from "../rows/record.ts"
import type { Task } from "../rows/row.ts"
import { latestSession } from "../rows/sessions/find.ts"
import { addSession } from "../rows/sessions/record.ts"
import { recordResumed } from "../rows/task-repos/workspace.ts"
import { findOpenTurn } from "../rows/turns/find.ts"
import { openNextTurn, openReplyTurn } from "../rows/turns/open.ts"
import { hastenTurn } from "../rows/turns/postpone.ts"
import { eventOf, possibleActions } from "../rules/transitions.ts"
import { ACTIVE_STATES, hasTurns, type TaskState } from "../rules.ts"
import { mintSessionId } from "../session-id.ts"
import { refuseActiveWorkItem, refuseOpenConversation } from "./refuse-in-use.ts"
import { say } from "./say.ts"

/**
 * The interrupted turn is repeated in the same session; a landing is submitted again from a fresh
 * snapshot. A complete task continues its conversation, in its worktree or a new one from the
 * target. For a running task only a postponed turn changes: it is tried at once.
 *
 * @throws {TransitionRefused} (user) when the task's state does not allow it.
 * @throws {DaemonError} `task.refused` (user) while a person is attached, `work_item.active`
 *   (user).
 */
export function resume(fleet: FleetRows & Attachments, task: Task, { text }: Words = {}): void {
  const goesOn = (ACTIVE_STATES as readonly TaskState[]).includes(task.state)
  const isPutOff = goesOn && hasTurns(task.state) && findOpenTurn(fleet.db, task.id)?.retryAtMs
  if (isPutOff) hasten(fleet, task, text)
  if (isPutOff || (goesOn && text === undefined)) return
  const event = eventOf("resume", task)
  if (!possibleActions(task).includes("resume")) throw new TransitionRefused(fleet.db, task, event)
  if (task.state === "complete" && text === undefined) throw withoutMessage(task)
  refuseOpenConversation(fleet, task, "resumed")
  transaction(fleet.db, () => {
    if (task.state === "complete") resumeComplete(fleet, task, text)
    else resumePaused(fleet, task, text)
  })
}

/** An agent without anything to do costs money, and a mistyped id is enough to start one. */
const withoutMessage = ({ id }: Task): DaemonError =>
  new DaemonError("task.refused", `Task ${id} is complete: say what is left to do.`, [
    `\`coppice resume ${id} "<what to do>"\``,
  ])

/** The agent gets the message when its turn ends. */
function hasten({ db, world }: FleetRows, task: Task, text: string | undefined): void {
  transaction(db, () => {
    hastenTurn(db, task.id, world.nowMs())
    if (text !== undefined) say({ db, world }, task, { text })
  })
}

function resumePaused({ db, world }: FleetRows, task: Task, text: string | undefined): void {
  const nowMs = world.nowMs()
  if (!recordTask(db, task, { event: eventOf("resume", task) }, nowMs)) return
  const now = findTask(db, task.id)
  assert(now, "a task that was resumed is there")
  const isActive = (ACTIVE_STATES as readonly TaskState[]).includes(now.state)
  if (isActive && latestSession(db, task.id)) continueJob(db, task.id, nowMs)
  if (text !== undefined) say({ db, world }, now, { text })
  if (isLanding(now.state)) resubmitPaused(db, task.id, nowMs)
  // The task may have been paused while it waited for an answer, which may have come since.
  if (hasTurns(now.state)) openReplyTurn(db, task.id, nowMs)
}

function resumeComplete({ db, world }: FleetRows, task: Task, text: string | undefined): void {
  const nowMs = world.nowMs()
  refuseActiveWorkItem(db, task.workItem)
  const isFresh = task.repos.every(({ worktree }) => worktree === null)
  recordTask(db, task, { event: "resumed" }, nowMs)
  recordResumed(db, task.id)
  const prompt = resumePrompt(text, { isFresh })
  const isKnown = latestSession(db, task.id) !== undefined
  const { id: job } = continueJob(db, task.id, nowMs)
  if (!isKnown) addSession(db, { id: mintSessionId(), job }, nowMs) // an old task without one
  const whole = isKnown ? prompt : [task.prompt, "---", prompt].join("\n\n")
  openNextTurn(db, { task: task.id, prompt: whole }, nowMs)
}
