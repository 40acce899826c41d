/** `label <task> [label]…`: labels a task, or lists its labels. */
import { oneLine } from "../../base/text/one-line.ts"
import type { Command } from "../../surfaces/cli/command.ts"
import { oneTask } from "../../surfaces/cli/operands.ts"

export const command: Command = {
  operands: "<task> [label]…",
  options: {
    remove: { type: "string", multiple: true, value: "<label>", about: "Remove this label" },
  },
  details:
    "Adds the labels, and prints all that the task has then. A label is a word of yours, such as `ui`.\n" +
    "A label that begins with `needs:` says what the task still needs, and `why` repeats it.",

  async run({ connect, output, json }, [ref = "", ...add], values) {
    const task = oneTask(ref === "" ? [] : [ref], "label")
    const remove = [values["remove"] ?? []].flat() as string[]
    const client = await connect()
    const isChange = add.length + remove.length > 0
    const document = isChange ? await client.label(task, { add, remove }) : await client.show(task)
    if (json) output.document(document)
    else output.lines(document.labels.map(oneLine))
    return 0
  },
}
