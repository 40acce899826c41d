/** `approve <task>`: approves a plan, or the commits in review. */
import type { Command } from "../command.ts"
import { taskState } from "../format/state.ts"
import { oneTask, textValue } from "../operands.ts"

export const command: Command = {
  operands: "<task>",
  options: {
    repo: { type: "string", value: "<repo>", about: "Approve only the work in this repository" },
    head: { type: "string", value: "<commit>", about: "Refuse if another commit is in review" },
  },
  details:
    "Approves exactly the commits in review. Later commits need a new approval; a moved target does not.",

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
