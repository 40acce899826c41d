/** `worktree land <task>`: lands a task's worktree, uncommitted changes included. */
import type { Command } from "../command.ts"
import { oneTask } from "../operands.ts"
import { DETACH, watchToEnd } from "../watch-to-end.ts"

export const command: Command = {
  operands: "<task>",
  options: { detach: DETACH },
  details: "Lands like the work of an agent: rebased, tested, and the worktree is removed.",

  async run(shell, positionals, values) {
    const client = await shell.connect()
    const task = await client.act(oneTask(positionals, "worktree land"), "land")
    return await watchToEnd(shell, client, { task, detach: values["detach"] === true })
  },
}
