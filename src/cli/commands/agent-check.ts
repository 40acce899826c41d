/** `agent check`: an agent runs what must pass before its work lands. */
import { sayVerb } from "../../client/agent.ts"
import type { CheckDocument } from "../../core/wire/agent.ts"
import type { Command } from "../command.ts"
import { checkLines } from "../format/check.ts"
import { noOperands, textValue } from "../operands.ts"

export const command: Command = {
  operands: "",
  options: { repo: { type: "string", value: "<repo>", about: "In this repository of the task" } },
  details: "For agents, on the files of their worktree as they are. Ends with 1 where it fails.",

  async run({ output, json, env }, positionals, values) {
    noOperands(positionals, "agent check")
    const repo = textValue(values, "repo")
    const check = await sayVerb<CheckDocument>(env, "check", repo ? { repo } : {})
    if (json) output.document(check)
    else output.lines(checkLines(check))
    return check.passed ? 0 : 1
  },
}
