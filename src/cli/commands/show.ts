/** `show <task>`: shows one task. */
import type { Command } from "../command.ts"
import { taskCard } from "../format/card.ts"
import { oneTask } from "../operands.ts"

export const command: Command = {
  operands: "<task>",
  options: {},
  details: "Takes an id, a branch, a work item or the beginning of a title.",

  async run({ connect, output, json, nowMs }, positionals) {
    const task = await (await connect()).show(oneTask(positionals, "show"))
    if (json) output.document(task)
    else output.lines(taskCard(output, task, nowMs))
    return 0
  },
}
