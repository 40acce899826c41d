/**
 * Tries again to delete the tasks that could not be deleted: what was in the way may be gone.
 *
 * It is only asked for here, as a person asks for it, and done by the jobs loop.
 */
import { toErrorDocument } from "../../core/errors.ts"
import { findTask } from "../../store/tasks/find.ts"
import { listUndeleted } from "../../store/tasks/list-undeleted.ts"
import { remove } from "../actions/delete.ts"
import type { FleetRows } from "../fleet.ts"

export function retryDeletions({ db, world }: FleetRows): void {
  for (const { id, deletion } of listUndeleted(db)) {
    const task = findTask(db, id)
    try {
      if (task) remove({ db, world }, task, { keepWorktree: deletion === "keep" })
    } catch (error) {
      if (toErrorDocument(error).error.code !== "task.refused") throw error
      // a person is attached, or its landing is being published: another time
    }
  }
}
