/** Whether the work of a task may still reach the target. */
import { isSettled } from "../../core/tasks/task.ts"
import type { Task } from "../../store/tasks/row.ts"

export const mayStillLand = ({ state }: Pick<Task, "state">): boolean =>
  !isSettled(state) || ["in_approval", "stuck", "paused", "merge_failed"].includes(state)
