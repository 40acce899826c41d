/** Sends a plan or work in review back with a person's feedback. */

import type { Rejection } from "../../../api/wire/requests.ts"
import { DaemonError } from "../../errors.ts"
import type { FleetRows } from "../../home.ts"
import { findLandingOfTask } from "../../landing/rows/find.ts"
import { recordLanding } from "../../landing/rows/record.ts"
import { transaction } from "../../store/sql.ts"
import { rejectionPrompt } from "../prompts/messages.ts"
import { replanPrompt } from "../prompts/plan.ts"
import { TransitionRefused } from "../rows/errors.ts"
import { recordTask } from "../rows/record.ts"
import type { Task } from "../rows/row.ts"
import { openNextTurn } from "../rows/turns/open.ts"
import { awaitsApproval } from "./approve.ts"

/**
 * The feedback is the next turn in the same session of the agent. A person's rejection does not
 * count as a hand-back of the landing.
 *
 * @throws {TransitionRefused} (user) when nothing is in review.
 * @throws {DaemonError} `task.refused` (user) if no agent did the work.
 */
export function reject({ db, world }: FleetRows, task: Task, { feedback }: Rejection = {}): void {
  transaction(db, () => {
    const nowMs = world.nowMs()
    if (task.state === "planning_complete") {
      recordTask(db, task, { event: "planRejected" }, nowMs)
      openNextTurn(db, { task: task.id, prompt: replanPrompt(feedback) }, nowMs)
      return
    }
    const landing = findLandingOfTask(db, task.id)
    if (!awaitsApproval(task, landing)) throw new TransitionRefused(db, task, "rejected")
    if (task.agent === null) throw nobodyToTell(task)
    recordLanding(db, landing, { event: "rejected", reason: feedback ?? null }, nowMs)
    recordTask(db, task, { event: "rejected" }, nowMs)
    openNextTurn(db, { task: task.id, prompt: rejectionPrompt(feedback) }, nowMs)
  })
}

function nobodyToTell({ id }: Task): DaemonError {
  const message = `No agent did the work of task ${id}, so there is none to get feedback.`
  return new DaemonError("task.refused", message, [
    `Change the branch yourself, then \`coppice approve ${id}\` asks for the new commit.`,
    `\`coppice cancel ${id}\` gives it up.`,
  ])
}
