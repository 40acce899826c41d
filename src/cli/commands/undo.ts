/** `undo <landing>`: takes a landing back, by a landing of its own. */
import type { Command } from "../command.ts"
import { UsageError } from "../errors.ts"
import { oneLine } from "../format/text.ts"
import { ORDER, orderFrom } from "../order.ts"
import { DETACH, seeThrough } from "../see-through.ts"

export const command: Command = {
  operands: "<landing>",
  options: { ...ORDER, detach: DETACH },
  details: [
    "`coppice show <task>` tells the number of its landing; a task's branch, work item or title will",
    "do as well. What landed later stays. The gate runs, and history is not rewritten.",
  ].join("\n"),

  async run(shell, positionals, values) {
    const [landing, ...rest] = positionals
    if (!landing || rest.length > 0)
      throw new UsageError("`undo` takes one landing.", [
        "`coppice show <task>` tells the number of its landing.",
      ])
    const client = await shell.connect()
    const task = await client.undo(landing, orderFrom(values))
    shell.output.line(`Task ${task.id} (${oneLine(task.title)}) takes it back.`)
    return seeThrough(shell, client, { task, detach: values["detach"] === true })
  },
}
