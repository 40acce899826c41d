/** `pause <task>`: stops a task where it is. */
import { actionCommand } from "../act-on-tasks.ts"

export const command = actionCommand(
  "pause",
  "Ends its agent's process, and takes its landing out of the queue. `coppice resume` continues it.",
)
