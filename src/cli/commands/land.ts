/** `land <task>`: lands a task's branch that waits for it. */
import { actionCommand } from "../act.ts"

export const command = actionCommand(
  "land",
  "For a task whose landing failed, and for one that was told to leave its branch alone.",
)
