/** `pause <task>`: stops a task where it is. */
import { actionCommand } from "../act.ts"

export const command = actionCommand(
  "pause",
  "Ends its agent's process; a landing leaves its queue. `coppice resume` lets it go on where it was.",
)
