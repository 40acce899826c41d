/** Submits a task for landing: after a landing that failed, or of work that was kept. */
import { branchRef } from "../../core/ids.ts"
import { forgetRed } from "../../store/gate-results/forget-red.ts"
import { addLanding } from "../../store/landings/add.ts"
import { findLandingOfTask } from "../../store/landings/find.ts"
import { recordLanding } from "../../store/landings/record.ts"
import { transaction } from "../../store/sql.ts"
import { recordTask } from "../../store/tasks/record.ts"
import type { Task } from "../../store/tasks/row.ts"
import { DaemonError } from "../errors.ts"
import type { Fleet } from "../fleet.ts"

/**
 * A person who asks again wants it tried again, so red gate results are forgotten, and a landing
 * that waits looks at once.
 *
 * @throws {TransitionRefused} (user) where the task's state does not allow it.
 */
export function land({ db, world }: Fleet, task: Task): void {
  transaction(db, () => {
    const nowMs = world.nowMs()
    forgetRed(db)
    const landing = findLandingOfTask(db, task.id)
    if (landing?.state === "waiting") {
      recordLanding(db, landing, { event: "woken" }, nowMs)
      return
    }
    if (task.state === "complete" && task.repos.every(({ worktree }) => worktree === null))
      throw new DaemonError(
        "task.refused",
        `Task ${task.id} has landed already, or had nothing to land.`,
      )
    recordTask(db, task, { event: "landingRequested" }, nowMs)
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
  })
}
