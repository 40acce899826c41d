/** `resume <task> [text]`: lets a task go on that is paused, put off, or complete with more to do. */
import { wordsCommand } from "../words.ts"

export const command = wordsCommand({
  name: "resume",
  called: "text",
  details:
    "A paused task goes on where it was. A turn that was put off, because its model could not be had, is\n" +
    "tried at once. A complete task goes on in the same conversation, in the worktree that was kept or a\n" +
    "new one from its target; the text says what there is to do.\n",
  act: (client, ref, text) => client.resume(ref, text === undefined ? {} : { text }),
})
