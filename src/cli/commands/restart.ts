/** `restart <task> [text]`: starts a stopped task again in a fresh conversation. */
import { wordsCommand } from "../words.ts"

export const command = wordsCommand({
  name: "restart",
  called: "text",
  details:
    "For a stuck task or a failed landing. Starts a fresh conversation in the same worktree, with the\n" +
    "task, the plan, the reason why it stopped, the changes so far, and your text.\n",
  act: (client, ref, text) => client.restart(ref, text === undefined ? {} : { text }),
})
