/** `worktree land <task>`: lands what is in a task's worktree, what is not committed too. */
import type { Command } from "../command.ts"
import { oneTask } from "../operands.ts"
import { DETACH, seeThrough } from "../see-through.ts"

export const command: Command = {
  operands: "<task>",
  options: { detach: DETACH },
  details: "It lands as the task's own: rebased, tested, and the worktree is removed.",

  async run(shell, positionals, values) {
    const client = await shell.connect()
    const task = await client.act(oneTask(positionals, "worktree land"), "land")
    return await seeThrough(shell, client, { task, detach: values["detach"] === true })
  },
}
