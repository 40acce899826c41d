/** `queue`: lists the landings of each target in queue order. */
import type { Command } from "../command.ts"
import { queueLines } from "../format/queue.ts"
import { noOperands } from "../operands.ts"

export const command: Command = {
  operands: "",
  options: {},
  details:
    "The first one lands next. A landing that waits for something else is listed last, and does not\n" +
    "block others.",

  async run({ connect, output, json, nowMs }, positionals) {
    noOperands(positionals, "queue")
    const queue = await (await connect()).queue()
    if (json) output.document(queue)
    else output.lines(queueLines(output, queue, nowMs))
    return 0
  },
}
