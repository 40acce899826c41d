/** `worktree land <task>`: lands a task's worktree, uncommitted changes included. */
import { actOn } from "../act-on-tasks.ts"
import type { Command } from "../command.ts"
import { oneTask } from "../operands.ts"
import { DETACH } from "../watch-to-end.ts"

export const command: Command = {
  operands: "<task>",
  options: { detach: DETACH },
  details: "Lands like the work of an agent: rebased, tested, and the worktree is removed.",

  async run(shell, positionals, values) {
    const refs = [oneTask(positionals, "worktree land")]
    const watches = values["detach"] !== true
    return actOn(shell, { refs, watches, act: (client, ref) => client.act(ref, "land") })
  },
}
