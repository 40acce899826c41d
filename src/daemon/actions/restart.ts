/** Restarts a stopped task: a new conversation in the same worktree. */

import { restartPrompt } from "../../core/prompts/fresh.ts"
import { type HandBackDetails, handBackPrompt } from "../../core/prompts/hand-back.ts"
import { eventOf, possibleActions } from "../../core/transitions.ts"
import type { Words } from "../../core/wire/requests.ts"
import { continueJob, startJob } from "../../store/jobs/record.ts"
import { findLandingOfTask } from "../../store/landings/find.ts"
import { recordLanding } from "../../store/landings/record.ts"
import type { Landing } from "../../store/landings/row.ts"
import { addMessage, takeWords } from "../../store/messages.ts"
import { closeQuestions } from "../../store/questions/ask.ts"
import { listAnswered } from "../../store/questions/list.ts"
import { latestSession } from "../../store/sessions/find.ts"
import { addSession } from "../../store/sessions/record.ts"
import { transaction } from "../../store/sql.ts"
import { TransitionRefused } from "../../store/tasks/errors.ts"
import { recordTask } from "../../store/tasks/record.ts"
import { recordRestart } from "../../store/tasks/restarts.ts"
import type { Task } from "../../store/tasks/row.ts"
import { openTurn } from "../../store/turns/open.ts"
import { mintSessionId } from "../agents/session-id.ts"
import type { FleetRows } from "../home.ts"
import { listChangedFiles } from "./changed-files.ts"

type Restarting = {
  readonly by?: "person" | "coppice"
  /** Writes further records in the same transaction. */
  readonly records?: () => void
}

/**
 * Starts a new agent, or only pushes again if the push was what failed.
 *
 * The new prompt holds the task, the plan, why it stopped, its changes, and people's messages and
 * answers. Uncommitted files stay as they are. The earlier agent's unanswered questions are closed; the
 * new agent only learns that they were asked.
 *
 * @throws {TransitionRefused} (user) unless the task is stuck or its landing failed, and it has an
 *   agent.
 * @throws {DaemonError} `task.refused` (user) if its worktree is gone.
 */
export async function restart(
  { db, world }: FleetRows,
  task: Task,
  { text }: Words = {},
  { by = "person", records = () => {} }: Restarting = {},
): Promise<void> {
  const event = eventOf("restart", task)
  if (!possibleActions(task).includes("restart")) throw new TransitionRefused(task, event)
  const landing = findLandingOfTask(db, task.id)
  if (event === "restarted:shipping")
    return shipAgain({ db, world }, task, landing, { by, records })
  const changes = await listChangedFiles(task, landing)
  transaction(db, () => {
    const nowMs = world.nowMs()
    if (!recordTask(db, task, { event }, nowMs)) throw new TransitionRefused(task, event)
    recordRestart(db, task.id, by)
    if (text !== undefined) addMessage(db, { task: task.id, text }, nowMs)
    const { id: job } = startJob(db, task.id, nowMs)
    const session = mintSessionId()
    addSession(db, { id: session, job }, nowMs)
    const phase = event === "restarted:planning" ? "planning" : "working"
    const unresolved = handBackOf(task, landing)
    const { texts: words, reports } = takeWords(db, task.id, nowMs)
    const unanswered = closeQuestions(db, task.id, nowMs)
    const answered = listAnswered(db, task.id)
    const told = { answered, unanswered, words, reports }
    const prompt = restartPrompt({ ...task, changes, unresolved, ...told }, phase)
    openTurn(db, { task: task.id, session, prompt }, nowMs)
    records()
  })
}

/** Resets the landing's counters, so that the push gets all its attempts again. */
function shipAgain(
  { db, world }: FleetRows,
  task: Task,
  landing: Landing | undefined,
  { by, records }: Required<Restarting>,
): void {
  transaction(db, () => {
    const nowMs = world.nowMs()
    const event = "restarted:shipping"
    if (!recordTask(db, task, { event }, nowMs)) throw new TransitionRefused(task, event)
    recordRestart(db, task.id, by)
    const again = { event: "resubmitted", attempts: 0, races: 0, handbacks: 0 } as const
    if (landing) recordLanding(db, landing, again, nowMs)
    if (latestSession(db, task.id)) continueJob(db, task.id, nowMs)
    records()
  })
}

/** The problem that keeps the work from landing, as the earlier agent read it. */
function handBackOf(task: Task, landing: Landing | undefined): string | null {
  if (landing?.state !== "failed" && landing?.state !== "handed_back") return null
  const details = landing.details as HandBackDetails | null
  const repo = details && task.repos.find(({ name }) => name === details.repo)
  if (!repo) return landing.reason
  const worktree = task.repos.length > 1 ? repo.worktree : null
  return handBackPrompt(details, { target: repo.target, worktree }) ?? landing.reason
}
