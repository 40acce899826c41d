/** `attach <task>`: opens a task's conversation in the agent's own program, then hands it back to the daemon. */
import type { Command } from "../../surfaces/cli/command.ts"
import { taskState } from "../../surfaces/cli/format/state.ts"
import { oneTask } from "../../surfaces/cli/operands.ts"

export const command: Command = {
  operands: "<task>",
  options: {},
  details:
    "Pauses the task and starts the agent's program in its worktree, on the same conversation. When you\n" +
    "leave it, the task continues; an interrupted turn is repeated.",

  async run({ connect, output, json, env }, positionals) {
    const client = await connect()
    const who = { pid: process.pid }
    const attached = await client.attach(oneTask(positionals, "attach"), who)
    output.note(`Task ${attached.task} is paused while you talk to its agent.`)
    const { runInteractive } = await import("../../api/client/run-in-terminal.ts")
    try {
      await runInteractive(attached, env)
    } finally {
      const task = await client.detach(attached.task, who)
      if (json) output.document(task)
      else output.line(taskState(output, task))
    }
    return 0
  },
}
