/** `restart <task> [message]`: starts a stopped task again in a fresh conversation. */
import { textCommand } from "../text-command.ts"

export const command = textCommand({
  name: "restart",
  called: "message",
  details:
    "For a stuck task or a failed landing. Starts a fresh conversation in the same worktree, with the\n" +
    "task, the plan, the reason why it stopped, the changes so far, and your text.\n",
  act: (client, ref, text) => client.restart(ref, text === undefined ? {} : { text }),
})
