/** Restarts a stopped task: a new job, and a new conversation that knows why the earlier one stopped. */

import { quoted } from "../../base/text/fence.ts"
import { type HandBackDetails, handBackPrompt } from "../landing/prompts/hand-back.ts"
import { findLandingOfTask } from "../landing/rows/find.ts"
import type { Landing } from "../landing/rows/row.ts"
import { transaction } from "../store/sql.ts"
import type { JobsContext, Rows } from "./context.ts"
import { restartPrompt, type Stopped } from "./prompts/fresh-conversation.ts"
import { startJob } from "./rows/jobs/record.ts"
import { addMessage, takeUndelivered } from "./rows/messages.ts"
import { closeQuestions } from "./rows/questions/ask.ts"
import { listAnswered } from "./rows/questions/list.ts"
import { recordTask } from "./rows/record.ts"
import { recordRestart } from "./rows/restarts.ts"
import type { Task } from "./rows/row.ts"
import { addSession } from "./rows/sessions/record.ts"
import { openTurn } from "./rows/turns/open.ts"
import { eventOf } from "./rules/transitions.ts"

type Restart = {
  readonly changes: Stopped["changes"]
  readonly by: "person" | "coppice"
  /** A person's message to the new agent. */
  readonly text?: string
}

/**
 * The new prompt holds the task, the plan, why it stopped, its changes, and people's messages and
 * answers. We close the earlier agent's unanswered questions; the new agent only learns that the
 * earlier one asked them.
 *
 * @returns false if the task has moved since it was read.
 * @throws {TransitionRefused} (user) if the task cannot be restarted.
 */
export function restartTask(
  { db, world, mintSessionId }: Rows & Pick<JobsContext, "mintSessionId">,
  task: Task,
  { changes, by, text }: Restart,
): boolean {
  const event = eventOf("restart", task)
  return transaction(db, () => {
    const nowMs = world.nowMs()
    if (!recordTask(db, task, { event }, nowMs)) return false
    recordRestart(db, task.id, by)
    if (text !== undefined) addMessage(db, { task: task.id, text }, nowMs)
    const { id: job } = startJob(db, task.id, nowMs)
    const session = mintSessionId()
    addSession(db, { id: session, job }, nowMs)
    const phase = event === "restarted:planning" ? "planning" : "working"
    const unresolved = handBackOf(task, findLandingOfTask(db, task.id))
    const { texts: messages, reports } = takeUndelivered(db, task.id, nowMs)
    const unanswered = closeQuestions(db, task.id, nowMs)
    const answered = listAnswered(db, task.id)
    const told = { answered, unanswered, messages, reports }
    const prompt = restartPrompt({ ...task, changes, unresolved, ...told }, phase)
    openTurn(db, { task: task.id, session, prompt }, nowMs)
    return true
  })
}

/** The problem that keeps the work from landing, as the earlier agent read it. */
function handBackOf(task: Task, landing: Landing | undefined): string | null {
  if (landing?.state !== "failed" && landing?.state !== "handed_back") return null
  const unexplained = landing.reason && quoted(landing.reason)
  const details = landing.details as HandBackDetails | null
  const repo = details && task.repos.find(({ name }) => name === details.repo)
  if (!repo) return unexplained
  const worktree = task.repos.length > 1 ? repo.worktree : null
  return handBackPrompt(details, { target: repo.target, worktree }) ?? unexplained
}
