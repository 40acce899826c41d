/** The commands that do something to one task and say how it stands then. */
import type { TaskAction } from "../client/client.ts"
import type { Command } from "./command.ts"
import { reasonOf, signedState } from "./format/state.ts"
import { oneLine } from "./format/text.ts"
import { oneTask } from "./operands.ts"

export function actionCommand(action: TaskAction, details: string): Command {
  return {
    operands: "<task>",
    options: {},
    details,

    async run({ connect, output, json }, positionals) {
      const task = await (await connect()).act(oneTask(positionals, action), action)
      const reason = reasonOf(task)
      const state = `${signedState(output, task.state)}${reason && `: ${reason}`}`
      if (json) output.document(task)
      else output.line(`Task ${task.id} (${oneLine(task.title)}): ${state}`)
      return 0
    },
  }
}
