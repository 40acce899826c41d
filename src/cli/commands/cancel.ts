/** `cancel <task>`: gives up a task. */
import { actionCommand } from "../act.ts"

export const command = actionCommand(
  "cancel",
  "Ends its agent. Saves its work under a rescue ref, then removes its worktree.",
)
