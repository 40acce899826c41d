/** `worktree add <task | title>`: sets up a worktree for a person to work in. */
import type { Command } from "../../../surfaces/cli/command.ts"
import { UsageError } from "../../../surfaces/cli/errors.ts"
import { textValue } from "../../../surfaces/cli/operands.ts"

export const command: Command = {
  operands: "<task | title>",
  options: {
    repo: { type: "string", multiple: true, value: "<repo>", about: "Work in this repository" },
    agent: { type: "string", value: "<agent>", about: "Use the settings of this agent" },
    "work-item": { type: "string", value: "<id>", about: "Its id in a tracker" },
  },
  details: "Prints the path. An unknown title creates a new task with no agent.",

  async run({ connect, cwd, output, json }, positionals, values) {
    const [ref, ...rest] = positionals
    if (!ref?.trim() || rest.length > 0)
      throw new UsageError("`worktree add` takes one task, or one title in quotes.")
    const agent = textValue(values, "agent")
    const workItem = textValue(values, "work-item")
    const repos = values["repo"] as string[] | undefined
    const added = await (await connect()).addWorktree({
      ref,
      ...(agent !== undefined && { agent }),
      ...(workItem !== undefined && { workItem }),
      ...(repos === undefined ? { cwd } : { repos }),
    })
    const { task } = added
    output.note(`Task ${task.id}; \`coppice worktree land ${task.id}\` lands your work.`)
    if (json) output.document(added)
    else output.lines(task.repos.flatMap(({ worktree }) => worktree ?? []))
    return 0
  },
}
