/** `agent progress <text>`: an agent reports what it is doing. */
import { sayVerb } from "../../client/agent.ts"
import type { Command } from "../command.ts"
import { oneText } from "../operands.ts"

export const command: Command = {
  operands: "<text>",
  options: {},
  details: "For agents, in their own worktree. `coppice ls` shows it.",

  async run({ output, json, env }, positionals) {
    const text = oneText(positionals, "agent progress")
    const heard = await sayVerb(env, "progress", { text })
    if (json) output.document(heard)
    return 0
  },
}
