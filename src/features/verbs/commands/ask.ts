/** `agent ask <question>`: an agent asks a person, and prints the answer. */
import { sayVerb } from "../../../api/client/send-verb.ts"
import type { Command } from "../../../surfaces/cli/command.ts"
import { oneText } from "../../../surfaces/cli/operands.ts"

export const command: Command = {
  operands: "<question>",
  options: {
    choice: { type: "string", value: "<text>", multiple: true, about: "A possible answer" },
  },
  details: [
    "For agents, in their own worktree. Prints the answer. Exits 1 if there is none within",
    "`session.ask_wait`. In that case, end your turn: the next one begins with the answer.",
  ].join("\n"),

  async run({ output, json, env }, positionals, values) {
    const question = oneText(positionals, "agent ask")
    const choices = (values["choice"] ?? []) as string[]
    const answered = await sayVerb(env, "ask", { question, choices })
    if (json) output.document(answered)
    else if (answered.kind === "answered") output.line(answered.answer ?? "")
    else output.note("There is no answer yet. End your turn: the next one begins with the answer.")
    return answered.kind === "answered" ? 0 : 1
  },
}
