/** `reject <task> [feedback]`: gives an agent its work back, with a person's words. */
import type { Command } from "../command.ts"
import { UsageError } from "../errors.ts"
import { taskState } from "../format/state.ts"
import { oneTask } from "../operands.ts"

export const command: Command = {
  operands: "<task> [feedback]",
  options: {},
  details: "The agent goes on in the same conversation. `-` reads the feedback from stdin.",

  async run({ connect, output, json, readStdin }, [ref, given, ...rest]) {
    if (rest.length > 0)
      throw new UsageError("`reject` takes a task and one feedback.", ["Put it in quotes."])
    const task = oneTask(ref === undefined ? [] : [ref], "reject")
    const feedback = given === "-" ? await readStdin() : given
    const rejection = feedback?.trim() ? { feedback } : {}
    const rejected = await (await connect()).reject(task, rejection)
    if (json) output.document(rejected)
    else output.line(taskState(output, rejected))
    return 0
  },
}
