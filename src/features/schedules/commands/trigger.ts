/** `trigger <schedule>`: creates the task of a schedule without waiting for its next tick. */
import type { Command } from "../../../surfaces/cli/command.ts"
import { UsageError } from "../../../surfaces/cli/errors.ts"

export const command: Command = {
  operands: "<schedule>",
  options: {},
  details:
    "Works for a schedule that is off, too. Its next tick stays where it is. A schedule with a\n" +
    "`work_source` polls it now, and fails if no item is ready.\n",

  async run({ connect, output, json }, positionals) {
    const [ref, ...rest] = positionals
    if (!ref || rest.length > 0)
      throw new UsageError("`trigger` takes one schedule.", ["`coppice status` lists them."])
    const { task } = await (await connect()).trigger(ref)
    if (json) output.document(task)
    else output.line(`${task.id}  ${task.title}`)
    return 0
  },
}
