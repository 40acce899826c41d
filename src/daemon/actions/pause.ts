/** Stops a task where it is, until it is resumed. */
import { possibleActions } from "../../core/transitions.ts"
import { transaction } from "../../store/sql.ts"
import { TransitionRefused } from "../../store/tasks/errors.ts"
import { recordTask } from "../../store/tasks/record.ts"
import type { Task } from "../../store/tasks/row.ts"
import type { FleetRows } from "../fleet.ts"
import { haltLanding } from "./halt-landing.ts"

/**
 * The loops see the new state and end the running processes; the open turn stays open. A merging
 * task leaves the queue. Pausing a paused task changes nothing.
 *
 * @throws {TransitionRefused} (user) when the task's state does not allow it.
 * @throws {DaemonError} `task.refused` (user) when it is being published.
 */
export function pause({ db, world }: FleetRows, task: Task): void {
  if (task.state === "paused") return
  if (!possibleActions(task).includes("pause")) throw new TransitionRefused(task, "paused")
  transaction(db, () => {
    if (task.state === "merging") haltLanding({ db, world }, task, "pause it")
    recordTask(db, task, { event: "paused" }, world.nowMs())
  })
}
