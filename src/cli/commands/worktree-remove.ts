/** `worktree remove <task>`: removes a task's worktree, after saving what is nowhere else. */
import type { Command } from "../command.ts"
import { removedLines } from "../format/removed.ts"
import { oneTask } from "../operands.ts"

export const command: Command = {
  operands: "<task>",
  options: {},
  details:
    "Refused while somebody works there. The branch of a task that can go on stays;\n" +
    "of a worktree that you drive it goes as well where it is empty.",

  async run({ connect, output, json }, positionals) {
    const task = oneTask(positionals, "worktree remove")
    const document = await (await connect()).removeWorktree(task)
    if (json) output.document(document)
    else output.lines(removedLines(document))
    return document.items.every(({ outcome }) => outcome === "removed") ? 0 : 1
  },
}
