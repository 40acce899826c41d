/** `reject <task> [feedback]`: gives an agent its plan or its work back, with a person's words. */
import { wordsCommand } from "../words.ts"

export const command = wordsCommand({
  name: "reject",
  called: "feedback",
  details: "Its plan, or its work in review. The agent goes on in the same conversation.\n",
  act: (client, ref, feedback) => client.reject(ref, feedback === undefined ? {} : { feedback }),
})
