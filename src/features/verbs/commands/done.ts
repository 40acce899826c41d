/** `agent done <summary>`: an agent declares its work done, if the checks pass. */
import { sayVerb } from "../../../api/client/send-verb.ts"
import type { Command } from "../../../surfaces/cli/command.ts"
import { checkLines } from "../../../surfaces/cli/format/check.ts"
import { oneText } from "../../../surfaces/cli/operands.ts"

export const command: Command = {
  operands: "<summary>",
  options: {},
  details: "For agents, in their own worktree. Runs the checks; exits 1 if one fails.",

  async run({ output, json, env }, positionals) {
    const summary = oneText(positionals, "agent done")
    const done = await sayVerb(env, "done", { summary })
    if (json) output.document(done)
    else output.lines(checkLines(done))
    return done.declared ? 0 : 1
  },
}
