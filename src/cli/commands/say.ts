/** `say <task> <text>`: says something to a task's agent. */
import { wordsCommand } from "../words.ts"

export const command = wordsCommand({
  name: "say",
  called: "text",
  needed: true,
  details:
    "It is the next turn of the same conversation, after the one that runs. Work in review goes back to\n" +
    "its agent with it.\n",
  act: (client, ref, text) => client.say(ref, { text: text ?? "" }),
})
