/** `worktree prune`: removes the worktrees of finished tasks whose work is safe. */
import type { Command } from "../command.ts"
import { removedLines } from "../format/removed.ts"
import { noOperands } from "../operands.ts"

export const command: Command = {
  operands: "",
  options: {},
  details: "Ignores `workspace.keep`. Keeps a worktree whose work is not stored elsewhere.",

  async run({ connect, output, json }, positionals) {
    noOperands(positionals, "worktree prune")
    const document = await (await connect()).pruneWorktrees()
    if (json) output.document(document)
    else output.lines(removedLines(document))
    return 0
  },
}
