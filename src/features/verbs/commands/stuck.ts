/** `agent stuck <reason>`: an agent gives up, and its process ends. */
import { sayVerb } from "../../../api/client/send-verb.ts"
import type { Command } from "../../../surfaces/cli/command.ts"
import { oneText } from "../../../surfaces/cli/operands.ts"

export const command: Command = {
  operands: "<reason>",
  options: {},
  details: "For agents, in their own worktree. Ends your turn. The files stay as they are.",

  async run({ output, json, env }, positionals) {
    const reason = oneText(positionals, "agent stuck")
    const heard = await sayVerb(env, "stuck", { reason })
    if (json) output.document(heard)
    return 0
  },
}
