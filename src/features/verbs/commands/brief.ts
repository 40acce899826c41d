/** `agent brief`: prints an agent's task. */
import { sayVerb } from "../../../api/client/send-verb.ts"
import type { BriefDocument } from "../../../api/wire/agent.ts"
import type { Command } from "../../../surfaces/cli/command.ts"
import { noOperands } from "../../../surfaces/cli/operands.ts"

export const command: Command = {
  operands: "",
  options: {},
  details: "For agents, in their own worktree.",

  async run({ output, json, env }, positionals) {
    noOperands(positionals, "agent brief")
    const brief = await sayVerb(env, "brief", {})
    if (json) output.document(brief)
    else output.lines(briefLines(brief))
    return 0
  },
}

function briefLines({
  task,
  title,
  prompt,
  repos,
  questions,
  handedBack,
  agents,
}: BriefDocument): string[] {
  return [
    `Task ${task}: ${title}`,
    "",
    prompt,
    "",
    ...repos.map(
      ({ name, branch, target, gate }) =>
        `${name}: ${branch} for ${target}; tested with ${gate ?? "nothing"}`,
    ),
    ...questions.map(({ text, answer }) => `You asked: ${text} - ${answer ?? "no answer yet"}`),
    ...(agents.length === 0 ? [] : [`Other agents for sub-tasks: ${agents.join(", ")}`]),
    ...(handedBack === null ? [] : ["", `It came back: ${handedBack}`]),
  ]
}
