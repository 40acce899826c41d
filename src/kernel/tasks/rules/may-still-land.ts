/** Whether the work of a task may still reach the target. */

import { isSettled, type TaskState } from "../rules.ts"

export const mayStillLand = ({ state }: { readonly state: TaskState }): boolean =>
  !isSettled(state) || ["in_approval", "stuck", "paused", "merge_failed"].includes(state)
