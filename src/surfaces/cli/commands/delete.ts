/** `delete <task…>`: deletes tasks, their worktrees and branches. */
import type { Client } from "../../../api/client/client.ts"
import type { TaskDocument } from "../../../api/wire/tasks.ts"
import { oneLine } from "../../../base/text/one-line.ts"
import { actOn } from "../act-on-tasks.ts"
import type { Command, Shell, Values } from "../command.ts"
import { confirm, YES } from "../confirm.ts"
import { UsageError } from "../errors.ts"
import { taskState } from "../format/state.ts"
import { plural } from "../format/text.ts"
import { someTasks } from "../operands.ts"
import type { Output } from "../output.ts"

export const command: Command = {
  operands: "<task…>",
  options: {
    "keep-worktree": { type: "boolean", about: "Keep its worktree and branch" },
    done: { type: "boolean", about: "Delete all complete and cancelled tasks" },
    yes: YES,
  },
  details:
    "Ends the task's agent. Saves its work under a rescue ref, then removes its worktree. If that\n" +
    "fails, the task stays as it was: run this again once the cause is fixed. `--done` skips work kept\n" +
    "with `run --land none`, and asks first on a terminal.",

  async run(shell, positionals, values) {
    const refs = await refsFrom(shell, positionals, values)
    const how = values["keep-worktree"] === true ? { keepWorktree: true } : {}
    if (refs.length === 0) {
      if (shell.json) shell.output.document({ tasks: [] })
      else shell.output.line("Nothing was deleted.")
      return 0
    }
    return actOn(shell, {
      refs,
      isList: values["done"] === true,
      act: (client, ref) => client.delete(ref, how),
      describe: (task) => deleted(shell.output, task),
    })
  },
}

async function refsFrom(
  shell: Shell,
  positionals: readonly string[],
  values: Values,
): Promise<readonly string[]> {
  if (values["done"] !== true) return someTasks(positionals, "delete")
  if (positionals.length > 0) throw new UsageError("`--done` takes no tasks: it means all of them.")
  const refs = await listDone(await shell.connect())
  if (refs.length === 0 || values["yes"]) return refs
  return (await confirm(shell, `Delete ${plural(refs.length, "task")}?`)) ? refs : []
}

const isOver = (state: string) => state === "complete" || state === "cancelled"

async function listDone(client: Client): Promise<readonly string[]> {
  const { tasks } = await client.listLines()
  return tasks.filter(({ state, kept }) => isOver(state) && !kept).map(({ id }) => id)
}

function deleted(output: Output, task: TaskDocument): string {
  const name = `Task ${task.id} (${oneLine(task.title)})`
  const { state, reason } = task.deletion ?? { state: "done", reason: null }
  if (state === "done") return `${name}: deleted`
  if (state === "pending") return `${name}: is being deleted; \`coppice ls\` shows when it is gone`
  return `${taskState(output, task)}\nIt could not be deleted: ${oneLine(reason ?? "")}`
}
