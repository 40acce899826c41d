/** `down`: ends the daemon and its agents. */
import { isSettled, type TaskState } from "../../core/task.ts"
import type { StatusDocument } from "../../core/wire/home.ts"
import type { Command } from "../command.ts"
import { plural } from "../format/text.ts"
import { noOperands } from "../operands.ts"

export const command: Command = {
  operands: "",
  options: {},
  details:
    "Waits until it has ended. Tasks keep their state, and reading them starts nothing: they continue\n" +
    "with `coppice up -d`, or with the next command that acts.",

  async run({ connect, output, json }, positionals) {
    noOperands(positionals, "down")
    const client = await connect()
    const { running } = await client.status()
    const status = await client.down()
    if (json) output.document(status)
    else if (!running) output.line("No daemon was running.")
    else output.lines(["The daemon has ended.", ...interrupted(status)])
    return 0
  },
}

function interrupted({ tasks }: StatusDocument): string[] {
  const states = Object.entries(tasks).filter(([state]) => !isSettled(state as TaskState))
  const count = states.reduce((sum, [, ofState]) => sum + ofState, 0)
  if (count === 0) return []
  const which = states.map(([state, ofState]) => `${ofState} ${state}`).join(", ")
  return [`Interrupted: ${plural(count, "task")} (${which}). \`coppice up -d\` goes on.`]
}
