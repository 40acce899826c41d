/** `approve <task>`: lands what is in review. */
import type { Command } from "../command.ts"
import { taskState } from "../format/state.ts"
import { oneTask, textValue } from "../operands.ts"

export const command: Command = {
  operands: "<task>",
  options: {
    repo: { type: "string", value: "<repo>", about: "Approve what is in this repository alone" },
    head: { type: "string", value: "<commit>", about: "Refuse where another commit is in review" },
  },
  details: "Holds for the commits in review: not for later ones, but on a target that has moved.",

  async run({ connect, output, json }, positionals, values) {
    const ref = oneTask(positionals, "approve")
    const repo = textValue(values, "repo")
    const head = textValue(values, "head")
    const what = { ...(repo !== undefined && { repo }), ...(head !== undefined && { head }) }
    const task = await (await connect()).approve(ref, what)
    if (json) output.document(task)
    else output.line(taskState(output, task))
    return 0
  },
}
