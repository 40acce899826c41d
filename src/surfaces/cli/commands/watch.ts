/** `watch <task>`: watches a task as `run` does. */
import { watchFrom } from "../../../api/client/watch-task.ts"
import type { Command } from "../command.ts"
import { oneTask } from "../operands.ts"
import { watchToEnd } from "../watch-to-end.ts"

export const command: Command = {
  operands: "<task>",
  options: { all: { type: "boolean", about: "Show what happened so far, too" } },
  details:
    "Shows what happens from now on, until only a person can move the task on. Exits 0 if it is done or\n" +
    "waits for an approval, else 1. Ctrl-C ends the watching, not the task.",

  async run(shell, positionals, values) {
    const client = await shell.connect()
    const { id } = await client.show(oneTask(positionals, "watch"))
    const after = values["all"] === true ? undefined : await watchFrom(client, id)
    const task = await client.show(id) // after `after`: it may have ended before
    return watchToEnd(shell, client, { task, detach: false, after })
  },
}
