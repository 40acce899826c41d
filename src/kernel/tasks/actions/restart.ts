/** Restarts a stopped task: a new conversation in the same worktree. */

import type { Words } from "../../../api/wire/requests.ts"
import type { FleetRows } from "../../home.ts"
import { findLandingOfTask } from "../../landing/rows/find.ts"
import { recordLanding } from "../../landing/rows/record.ts"
import type { Landing } from "../../landing/rows/row.ts"
import { transaction } from "../../store/sql.ts"
import { restartTask } from "../restart-task.ts"
import { TransitionRefused } from "../rows/errors.ts"
import { continueJob } from "../rows/jobs/record.ts"
import { recordTask } from "../rows/record.ts"
import { recordRestart } from "../rows/restarts.ts"
import type { Task } from "../rows/row.ts"
import { latestSession } from "../rows/sessions/find.ts"
import { eventOf, possibleActions } from "../rules/transitions.ts"
import { mintSessionId } from "../session-id.ts"
import { listChangedFiles } from "./changed-files.ts"

type Restarting = {
  readonly by?: "person" | "coppice"
  /** Writes further records first, in the same transaction. */
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
  if (!possibleActions(task).includes("restart")) throw new TransitionRefused(db, task, event)
  const landing = findLandingOfTask(db, task.id)
  if (event === "restarted:shipping")
    return shipAgain({ db, world }, task, landing, { by, records })
  const changes = await listChangedFiles(task, landing)
  transaction(db, () => {
    records()
    const message = text === undefined ? {} : { text }
    if (!restartTask({ db, world, mintSessionId }, task, { changes, by, ...message }))
      throw new TransitionRefused(db, task, event)
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
    if (!recordTask(db, task, { event }, nowMs)) throw new TransitionRefused(db, task, event)
    recordRestart(db, task.id, by)
    const again = { event: "resubmitted", attempts: 0, races: 0, handbacks: 0 } as const
    if (landing) recordLanding(db, landing, again, nowMs)
    if (latestSession(db, task.id)) continueJob(db, task.id, nowMs)
    records()
  })
}
