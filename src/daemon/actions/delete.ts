/** Deletes a task: ends its job, saves and removes its work, then its record. */
import type { Deletion } from "../../core/wire.ts"
import { transaction } from "../../store/sql.ts"
import { requestDeletion } from "../../store/tasks/deletion.ts"
import type { Task } from "../../store/tasks/row.ts"
import type { FleetRows } from "../fleet.ts"
import { refuseAttached } from "./attached.ts"
import { haltLanding } from "./halt-landing.ts"

/**
 * Records the request. The loops see it, end the running processes and carry it out
 * (jobs/delete-task.ts). After a failure the task goes on as before, and a person may ask again.
 *
 * @throws {DaemonError} `task.refused` (user) when it is being published, or a person is attached.
 */
export function remove({ db, world }: FleetRows, task: Task, how: Deletion = {}): void {
  refuseAttached(task, "deleted")
  transaction(db, () => {
    haltLanding({ db, world }, task, "delete it")
    requestDeletion(db, task, how.keepWorktree === true ? "keep" : "remove", world.nowMs())
  })
}
