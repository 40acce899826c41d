/** `delete <task>`: deletes a task, its worktree and its branch. */
import type { TaskDocument } from "../../core/wire.ts"
import type { Command } from "../command.ts"
import { taskState } from "../format/state.ts"
import { oneLine } from "../format/text.ts"
import { oneTask } from "../operands.ts"
import type { Output } from "../output.ts"

export const command: Command = {
  operands: "<task>",
  options: { "keep-worktree": { type: "boolean", about: "Keep its worktree and branch" } },
  details:
    "Ends its agent. Saves its work under a rescue ref, then removes its worktree. If that fails, the\n" +
    "task stays as it was: run this again once the cause is fixed.",

  async run({ connect, output, json }, positionals, values) {
    const ref = oneTask(positionals, "delete")
    const keepWorktree = values["keep-worktree"] === true
    const task = await (await connect()).delete(ref, keepWorktree ? { keepWorktree } : {})
    if (json) output.document(task)
    else output.line(deleted(output, task))
    return task.deletion?.state === "failed" ? 1 : 0
  },
}

function deleted(output: Output, task: TaskDocument): string {
  const name = `Task ${task.id} (${oneLine(task.title)})`
  const { state, reason } = task.deletion ?? { state: "done", reason: null }
  if (state === "done") return `${name}: deleted`
  if (state === "pending") return `${name}: is being deleted; \`coppice ls\` shows when it is gone`
  return `${taskState(output, task)}\nIt could not be deleted: ${oneLine(reason ?? "")}`
}
