/** `cancel <task…>`: gives up tasks. */
import { actOn } from "../act-on-tasks.ts"
import type { Command } from "../command.ts"
import { someTasks } from "../operands.ts"

export const command: Command = {
  operands: "<task…>",
  options: { tree: { type: "boolean", about: "Cancel its sub-tasks, too" } },
  details: "Ends the task's agent. Saves its work under a rescue ref, then removes its worktree.",

  run: (shell, positionals, values) =>
    actOn(shell, {
      refs: someTasks(positionals, "cancel"),
      act: (client, ref) => client.cancel(ref, values["tree"] === true ? { tree: true } : {}),
    }),
}
