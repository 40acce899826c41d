/** Submits a task for landing: after a landing that failed, or for work that was kept. */
import { branchRef } from "../../../base/ids.ts"
import { takeOff } from "../../../features/stacks/rows.ts"
import type { FleetRows } from "../../home.ts"
import { addLanding } from "../../landing/rows/add.ts"
import { findLandingOfTask } from "../../landing/rows/find.ts"
import { forgetRed } from "../../landing/rows/gate-results.ts"
import { recordLanding } from "../../landing/rows/record.ts"
import type { Landing } from "../../landing/rows/row.ts"
import { isLanding } from "../../landing/rules/landing-states.ts"
import { transaction } from "../../store/sql.ts"
import { TransitionRefused } from "../rows/errors.ts"
import { recordTask } from "../rows/record.ts"
import type { Task } from "../rows/row.ts"
import { eventOf, possibleActions } from "../rules/transitions.ts"
import { approve } from "./approve.ts"

/**
 * A person asks for a new attempt, so red gate results are forgotten and a waiting landing retries
 * at once, without the work below it if that was given up. A task in review is approved. A task that an agent still works on is refused: its landing
 * begins when the agent's turn ends.
 *
 * @throws {TransitionRefused} (user) when the task's state does not allow it.
 */
export function land({ db, world }: FleetRows, task: Task): void {
  transaction(db, () => {
    const nowMs = world.nowMs()
    const landing = findLandingOfTask(db, task.id)
    if (landing && isLanding(task.state) && possibleActions(task).includes("land")) {
      forgetRed(db)
      if (landing.outcome === "LOWER_CLOSED") takeOff(db, { upper: task.id })
      recordLanding(db, landing, { event: "woken" }, nowMs)
      return
    }
    if (task.state === "in_approval") {
      approve({ db, world }, task)
      return
    }
    const event = eventOf("land", task)
    if (!possibleActions(task).includes("land")) throw new TransitionRefused(db, task, event)
    forgetRed(db)
    recordTask(db, task, { event }, nowMs)
    submit({ db, world }, task, landing)
  })
}

function submit({ db, world }: FleetRows, task: Task, landing?: Landing): void {
  const nowMs = world.nowMs()
  if (landing?.state === "failed") {
    const counters = { attempts: 0, races: 0, handbacks: 0 }
    recordLanding(db, landing, { event: "resubmitted", ...counters }, nowMs)
    return
  }
  const repos = task.repos.map(({ name, path, target }) => ({
    name,
    path,
    target: branchRef(target),
  }))
  addLanding(db, { task: task.id, repos }, nowMs)
}
