/** `undo <landing>`: reverts a landing, with another landing. */
import type { Command } from "../command.ts"
import { UsageError } from "../errors.ts"
import { oneLine } from "../format/text.ts"
import { ORDER, orderFrom } from "../order.ts"
import { DETACH, watchToEnd } from "../watch-to-end.ts"

export const command: Command = {
  operands: "<landing>",
  options: { ...ORDER, detach: DETACH },
  details: [
    "`coppice show <task>` prints the number of its landing. A task's branch, work item or title works",
    "too. Keeps what landed later, runs the gate, and does not rewrite history.",
  ].join("\n"),

  async run(shell, positionals, values) {
    const [landing, ...rest] = positionals
    if (!landing || rest.length > 0)
      throw new UsageError("`undo` takes one landing.", [
        "`coppice show <task>` tells the number of its landing.",
      ])
    const client = await shell.connect()
    const task = await client.undo(landing, orderFrom(values))
    shell.output.line(`Task ${task.id} (${oneLine(task.title)}) reverts it.`)
    return watchToEnd(shell, client, { task, detach: values["detach"] === true })
  },
}
