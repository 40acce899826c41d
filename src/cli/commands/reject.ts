/** `reject <task> [feedback]`: sends a plan or work in review back to its agent, with feedback. */
import { wordsCommand } from "../words.ts"

export const command = wordsCommand({
  name: "reject",
  called: "feedback",
  details: "Sends back a plan, or work in review. The agent continues in the same conversation.\n",
  act: (client, ref, feedback) => client.reject(ref, feedback === undefined ? {} : { feedback }),
})
