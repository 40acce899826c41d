/** `say <task> <message>`: sends a message to a task's agent. */
import { ATTACH, attachedFiles } from "../attached-files.ts"
import { textCommand } from "../text-command.ts"

export const command = textCommand({
  name: "say",
  called: "message",
  needed: true,
  options: {
    attach: ATTACH,
    now: { type: "boolean", about: "Do not wait for the end of the turn that runs" },
  },
  details:
    "The message becomes the next turn of the same conversation. Work in review goes back to its agent\n" +
    "with the message.\n\n" +
    "With `--now`, Claude Code and Codex read it in the turn that runs, after their next use of a tool.\n" +
    "An agent over ACP is interrupted, and its next turn begins with the message.\n",
  act: async (client, ref, text = "", { values, ...where }) =>
    client.say(ref, {
      text,
      ...(values["now"] === true && { now: true }),
      ...(await attachedFiles(values, where)),
    }),
})
