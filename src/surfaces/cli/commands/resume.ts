/** `resume <task> [message]`: continues a task that is paused, postponed, or complete with more to do. */
import { textCommand } from "../text-command.ts"

export const command = textCommand({
  name: "resume",
  called: "message",
  details:
    "A paused task continues where it stopped. A turn that waits for its model is retried at once. A\n" +
    "complete task continues in the same conversation, in its kept worktree or a new one from its\n" +
    "target; the text says what to do next.\n",
  act: (client, ref, text) => client.resume(ref, text === undefined ? {} : { text }),
})
