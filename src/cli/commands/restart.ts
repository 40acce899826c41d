/** `restart <task> [text]`: lets a stopped task go on. */
import { wordsCommand } from "../words.ts"

export const command = wordsCommand({
  name: "restart",
  called: "text",
  details:
    "For a task that is stuck or whose landing failed: a fresh conversation in the same worktree, which\n" +
    "is told the task, the plan, why it stopped, what was changed, and the text.\n",
  act: (client, ref, text) => client.restart(ref, text === undefined ? {} : { text }),
})
