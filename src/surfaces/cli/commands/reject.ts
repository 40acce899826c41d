/** `reject <task> [feedback]`: sends a plan or work in review back to its agent, with feedback. */
import { textCommand } from "../text-command.ts"

export const command = textCommand({
  name: "reject",
  called: "feedback",
  details: "Sends back a plan, or work in review. The agent continues in the same conversation.\n",
  act: (client, ref, feedback) => client.reject(ref, feedback === undefined ? {} : { feedback }),
})
