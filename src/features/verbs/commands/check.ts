/** `agent check`: runs the checks that must pass before an agent's work lands. */
import { sayVerb } from "../../../api/client/send-verb.ts"
import type { Command } from "../../../surfaces/cli/command.ts"
import { checkLines } from "../../../surfaces/cli/format/check.ts"
import { noOperands, textValue } from "../../../surfaces/cli/operands.ts"

export const command: Command = {
  operands: "",
  options: { repo: { type: "string", value: "<repo>", about: "Only this repository of the task" } },
  details: "For agents, on the files of their worktree as they are. Exits 1 if a check fails.",

  async run({ output, json, env }, positionals, values) {
    noOperands(positionals, "agent check")
    const repo = textValue(values, "repo")
    const check = await sayVerb(env, "check", repo ? { repo } : {})
    if (json) output.document(check)
    else output.lines(checkLines(check))
    return check.passed ? 0 : 1
  },
}
