/** `agent stuck <reason>`: an agent cannot go on, and is ended. */
import { sayVerb } from "../../client/agent.ts"
import type { HeardDocument } from "../../core/wire/agent.ts"
import type { Command } from "../command.ts"
import { oneText } from "../operands.ts"

export const command: Command = {
  operands: "<reason>",
  options: {},
  details: "For agents, in their own worktree. The files stay as they are, and a person decides.",

  async run({ output, json, env }, positionals) {
    const reason = oneText(positionals, "agent stuck")
    const heard = await sayVerb<HeardDocument>(env, "stuck", { reason })
    if (json) output.document(heard)
    return 0
  },
}
