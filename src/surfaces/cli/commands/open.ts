/** `open <task>`: prints where a task's worktree is, for `cd "$(coppice open 3)"`. */
import type { OpenDocument } from "../../../api/wire/tasks.ts"
import type { Command } from "../command.ts"
import { UsageError } from "../errors.ts"
import { oneTask, textValue } from "../operands.ts"

export const command: Command = {
  operands: "<task>",
  options: { repo: { type: "string", value: "<repo>", about: "The worktree of this repository" } },
  details: 'Prints its path, and nothing else: `cd "$(coppice open 3)"`.',

  async run({ connect, output, json }, positionals, values) {
    const { id, repos } = await (await connect()).show(oneTask(positionals, "open"))
    const wanted = textValue(values, "repo") ?? repos[0]?.name
    const repo = repos.find(({ name }) => name === wanted)
    if (!repo) {
      const names = repos.map(({ name }) => name).join(", ")
      throw new UsageError(`Task ${id} has no repository ${wanted}.`, [`It has: ${names}.`])
    }
    if (repo.worktree === null)
      throw new UsageError(`Task ${id} has no worktree now.`, [
        `It is made when its agent starts, and removed when its work has landed.`,
        `\`coppice resume ${id}\` continues a complete task in a new one.`,
      ])
    const document: OpenDocument = { task: id, repo: repo.name, worktree: repo.worktree }
    if (json) output.document(document)
    else output.line(repo.worktree)
    return 0
  },
}
