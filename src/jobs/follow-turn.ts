/**
 * Decides what follows a turn: answers, more messages of a person, a plan, a landing, or the end.
 */

import { assert } from "../core/assert.ts"
import { branchRef } from "../core/ids.ts"
import { carryOutPrompt } from "../core/prompts/plan.ts"
import { isAwaited } from "../core/question.ts"
import type { Reason } from "../core/task.ts"
import { addLanding } from "../store/landings/add.ts"
import { findLandingOfTask } from "../store/landings/find.ts"
import { recordLanding } from "../store/landings/record.ts"
import { releasePorts } from "../store/ports.ts"
import { listOpenQuestions } from "../store/questions/list.ts"
import { findTask } from "../store/tasks/find.ts"
import { recordTask } from "../store/tasks/record.ts"
import type { Task } from "../store/tasks/row.ts"
import { setPlan } from "../store/tasks/words.ts"
import { openNextTurn, openReplyTurn } from "../store/turns/open.ts"
import type { JobsContext } from "./context.ts"

type Stop = {
  /** The turn ended without `done`, and the configuration requires it. */
  readonly isUndeclared: boolean
  /** Work that the agent left in a static folder. */
  readonly left: Reason | null
}

export type Rows = Pick<JobsContext, "db" | "world">

/**
 * For a task that is planning or working and has no open turn. Call it in the transaction that ends
 * the turn or resumes the task, so that a crash finds all of it or nothing.
 */
export function followTurn(context: Rows, task: Task, { isUndeclared, left }: Stop): void {
  const { db, world } = context
  if (openReplyTurn(db, task.id, world.nowMs())) return
  const phase = task.state === "planning" ? "planning" : "working"
  if (listOpenQuestions(db, task.id).some(isAwaited)) return // the answer opens its next turn
  if (phase === "working" && isUndeclared)
    recordTask(db, task, { event: "gotStuck", reason: UNDECLARED }, world.nowMs())
  else if (phase === "planning") recordPlan(context, task)
  else if (landsByItself(context, task)) submitLanding(context, task)
  else finish(context, task, left)
}

function finish({ db, world }: Rows, task: Task, reason: Reason | null): void {
  recordTask(db, task, { event: "finished", reason }, world.nowMs())
  if (task.strategy === "static")
    // its folder stays, but nothing uses the ports any more
    for (const { name } of task.repos) releasePorts(db, { task: task.id, name })
}

const UNDECLARED = {
  code: "needs_decision",
  text: "its agent stopped without saying `done`, and `landing.require_done` is set",
} as const

/** The agent's last words are the plan; a plan that needs no approval is carried out at once. */
function recordPlan({ db, world }: Rows, task: Task): void {
  const nowMs = world.nowMs()
  setPlan(db, task.id, task.lastMessage ?? "")
  recordTask(db, task, { event: "planned" }, nowMs)
  if (task.planMode === "approve") return
  const planned = findTask(db, task.id)
  assert(planned, "a task that was planned is there")
  recordTask(db, planned, { event: "planApproved" }, nowMs)
  openNextTurn(db, { task: task.id, prompt: carryOutPrompt(false) }, nowMs)
}

/** True also if a person had it landed anyway, and the landing handed it back. */
function landsByItself({ db }: Rows, { id, land }: Task): boolean {
  return land !== "none" || findLandingOfTask(db, id)?.state === "handed_back"
}

function submitLanding({ db, world }: Rows, task: Task): void {
  const nowMs = world.nowMs()
  recordTask(db, task, { event: "landingRequested" }, nowMs)
  const landing = findLandingOfTask(db, task.id)
  const again = { event: "resubmitted", attempts: 0, races: 0 } as const
  if (landing?.state === "handed_back") recordLanding(db, landing, again, nowMs)
  else if (landing?.state === "failed")
    recordLanding(db, landing, { ...again, handbacks: 0 }, nowMs) // a person restarted it
  else {
    const repos = task.repos.map(({ name, path, target }) => ({
      name,
      path,
      target: branchRef(target),
    }))
    addLanding(db, { task: task.id, repos }, nowMs)
  }
}
