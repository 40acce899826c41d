/** Commands that act on one task and print its new state. */
import type { TaskAction } from "../client/client.ts"
import type { Command } from "./command.ts"
import { taskState } from "./format/state.ts"
import { oneTask } from "./operands.ts"

export function actionCommand(action: TaskAction, details: string): Command {
  return {
    operands: "<task>",
    options: {},
    details,

    async run({ connect, output, json }, positionals) {
      const task = await (await connect()).act(oneTask(positionals, action), action)
      if (json) output.document(task)
      else output.line(taskState(output, task))
      return 0
    },
  }
}
