/** `agent propose_task <title> <prompt>`: an agent proposes another task. */
import { sayVerb } from "../../api/client/send-verb.ts"
import type { Command } from "../../surfaces/cli/command.ts"
import { UsageError } from "../../surfaces/cli/errors.ts"
import { textValue } from "../../surfaces/cli/operands.ts"

export const command: Command = {
  operands: "<title> <prompt>",
  options: {
    after: { type: "string", value: "<id>", multiple: true, about: "Land after this task" },
    on: { type: "string", value: "<id>", about: "Start from this task's work, and land after it" },
    agent: {
      type: "string",
      value: "<name>",
      about: "Another agent to do it, of those in `brief`",
    },
    report: { type: "boolean", about: "Wait for its end, which is your next turn" },
    "no-report": { type: "boolean", about: "Do not wait for its end" },
  },
  details: [
    "For agents, in their own worktree. Prints the id of the task, or of the proposal. A person",
    "accepts or declines it with `coppice answer`, unless `agents.<name>.tasks` in coppice.yml lets it",
    "start at once.",
  ].join("\n"),

  async run({ output, json, env }, [title, prompt, ...rest], values) {
    if (!title || !prompt || rest.length > 0)
      throw new UsageError("`agent propose_task` takes a title and a prompt.", ["Quote them."])
    const after = (values["after"] ?? []) as string[]
    const on = textValue(values, "on")
    const agent = textValue(values, "agent")
    const report = values["no-report"] === true ? false : values["report"] === true || undefined
    const proposal = {
      title,
      prompt,
      after,
      ...(on !== undefined && { on }),
      ...(agent !== undefined && { agent }),
      ...(report !== undefined && { report }),
    }
    const proposed = await sayVerb(env, "propose_task", proposal)
    if (json) output.document(proposed)
    else output.line(proposed.task ?? proposed.proposal ?? "")
    return 0
  },
}
