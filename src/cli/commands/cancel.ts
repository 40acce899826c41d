/** `cancel <task>`: gives a task up. */
import { actionCommand } from "../act.ts"

export const command = actionCommand(
  "cancel",
  "Ends its agent. Its work is kept under a rescue ref before its worktree is removed.",
)
