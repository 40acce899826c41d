/** `restart <task>`: lets a stopped task go on. */
import { actionCommand } from "../act.ts"

export const command = actionCommand(
  "restart",
  "For a task that is stuck or whose landing failed: a fresh conversation, the same worktree.",
)
