/** `schedule <schedule> on|off`: switches a schedule. */
import type { Command } from "../../../surfaces/cli/command.ts"
import { UsageError } from "../../../surfaces/cli/errors.ts"
import { scheduleText } from "../../../surfaces/cli/format/status.ts"

export const command: Command = {
  operands: "<schedule> <on | off>",
  options: {},
  details:
    "Edits of coppice.yml do not undo this. Ticks that pass while a schedule is off create no tasks.",

  async run({ connect, output, json }, positionals) {
    const [ref, state, ...rest] = positionals
    if (!ref || (state !== "on" && state !== "off") || rest.length > 0)
      throw new UsageError("`schedule` takes a schedule, and `on` or `off`.", [
        "`coppice status` lists them.",
      ])
    const schedule = await (await connect()).switchSchedule(ref, { enabled: state === "on" })
    if (json) output.document(schedule)
    else output.line(scheduleText(schedule))
    return 0
  },
}
