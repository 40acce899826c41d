/** Gives a task up: its agent is ended, its worktree rescued and removed, its record stays. */

import { NO_USAGE } from "../../core/usage.ts"
import { isCancellable } from "../../landing/cancellable.ts"
import { findLandingOfTask } from "../../store/landings/find.ts"
import { recordLanding } from "../../store/landings/record.ts"
import { transaction } from "../../store/sql.ts"
import { recordTask } from "../../store/tasks/record.ts"
import type { Task } from "../../store/tasks/row.ts"
import { endTurn } from "../../store/turns/end.ts"
import { findOpenTurn } from "../../store/turns/find-open.ts"
import { DaemonError } from "../errors.ts"
import type { FleetRows } from "../fleet.ts"

/** The loops see the new state, end what runs, and then clean up. */
export function cancel({ db, world }: FleetRows, task: Task): void {
  transaction(db, () => {
    const nowMs = world.nowMs()
    const landing = findLandingOfTask(db, task.id)
    const underWay = landing && landing.state !== "landed" && landing.state !== "cancelled"
    if (underWay && !isCancellable(landing))
      throw new DaemonError(
        "task.refused",
        `Task ${task.id} is being landed; it is too late to cancel.`,
        [`\`coppice show ${task.id}\` shows how it ends.`],
      )
    recordTask(db, task, { event: "cancelled" }, nowMs)
    if (underWay) recordLanding(db, landing, { event: "cancelled" }, nowMs)
    const turn = findOpenTurn(db, task.id)
    if (turn) endTurn(db, turn, { usage: NO_USAGE, message: null }, nowMs)
  })
}
