/** `resume <task> [text]`: lets a paused task go on, or a complete one with more to do. */
import { wordsCommand } from "../words.ts"

export const command = wordsCommand({
  name: "resume",
  called: "text",
  details:
    "A paused task goes on where it was. A complete one goes on in the same conversation, in the worktree\n" +
    "that was kept or a new one from its target; the text says what there is to do.\n",
  act: (client, ref, text) => client.resume(ref, text === undefined ? {} : { text }),
})
