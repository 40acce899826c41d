/** `worktree prune`: removes the worktrees of finished tasks whose work is safe. */
import type { Command } from "../../../surfaces/cli/command.ts"
import { noOperands } from "../../../surfaces/cli/operands.ts"
import { removedLines } from "./removed.ts"

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
