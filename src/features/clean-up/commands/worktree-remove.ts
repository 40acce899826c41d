/** `worktree remove <task>`: removes a task's worktree, after saving its work. */
import type { Command } from "../../../surfaces/cli/command.ts"
import { oneTask } from "../../../surfaces/cli/operands.ts"
import { removedLines } from "./removed.ts"

export const command: Command = {
  operands: "<task>",
  options: {},
  details:
    "Refuses while an agent or another program works there. Keeps the branch of a task that can continue;\n" +
    "removes an empty branch of your own worktree.",

  async run({ connect, output, json }, positionals) {
    const task = oneTask(positionals, "worktree remove")
    const document = await (await connect()).removeWorktree(task)
    if (json) output.document(document)
    else output.lines(removedLines(document))
    return document.items.every(({ outcome }) => outcome === "removed") ? 0 : 1
  },
}
