/** `down`: ends the daemon and its agents. */

import type { StatusDocument } from "../../../api/wire/home.ts"
import { isSettled, type TaskState } from "../../../kernel/tasks/rules.ts"
import type { Command } from "../command.ts"
import { plural } from "../format/text.ts"
import { noOperands } from "../operands.ts"

export const command: Command = {
  operands: "",
  options: {},
  details:
    "Waits until it has ended. Tasks keep their state, and continue with `coppice up -d` or the next\n" +
    "command that acts. Commands that only read start nothing.",

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
  const count = states.reduce((sum, [, tasksInState]) => sum + tasksInState, 0)
  if (count === 0) return []
  const which = states.map(([state, tasksInState]) => `${tasksInState} ${state}`).join(", ")
  return [`Interrupted: ${plural(count, "task")} (${which}). To continue: \`coppice up -d\`.`]
}
