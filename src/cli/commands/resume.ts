/** `resume <task> [text]`: continues a task that is paused, postponed, or complete with more to do. */
import { wordsCommand } from "../words.ts"

export const command = wordsCommand({
  name: "resume",
  called: "text",
  details:
    "A paused task continues where it stopped. A turn that waits for its model is retried at once. A\n" +
    "complete task continues in the same conversation, in its kept worktree or a new one from its\n" +
    "target; the text says what to do next.\n",
  act: (client, ref, text) => client.resume(ref, text === undefined ? {} : { text }),
})
