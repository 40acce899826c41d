/** `say <task> <text>`: sends a message to a task's agent. */
import { wordsCommand } from "../words.ts"

export const command = wordsCommand({
  name: "say",
  called: "text",
  needed: true,
  details:
    "The message becomes the next turn of the same conversation. Work in review goes back to its agent\n" +
    "with the message.\n",
  act: (client, ref, text) => client.say(ref, { text: text ?? "" }),
})
