/** `undo <task>`: reverts what a task landed, with another landing. */

import type { UndoPlanDocument } from "../../api/wire/landings.ts"
import { oneLine } from "../../base/text/one-line.ts"
import type { Command } from "../../surfaces/cli/command.ts"
import { confirm, YES } from "../../surfaces/cli/confirm.ts"
import { plural } from "../../surfaces/cli/format/text.ts"
import { oneTask } from "../../surfaces/cli/operands.ts"
import { ORDER, orderFrom } from "../../surfaces/cli/queue-options.ts"
import { DETACH, watchToEnd } from "../../surfaces/cli/watch-to-end.ts"

export const command: Command = {
  operands: "<task>",
  options: { ...ORDER, yes: YES, detach: DETACH },
  details: [
    "Reverts the task's latest landing; `landing:<number>` names an earlier one. Shows what it reverts,",
    "and asks on a terminal. Keeps what landed later, runs the gate, and does not rewrite history.",
  ].join("\n"),

  async run(shell, positionals, values) {
    const ref = oneTask(positionals, "undo")
    const order = orderFrom(values)
    const client = await shell.connect()
    const preview = await client.planUndo(ref)
    shell.output.lines(undoLines(preview))
    if (!values["yes"] && !(await confirm(shell, "Revert it?"))) {
      shell.output.note("Nothing was reverted.")
      return 1
    }
    const task = await client.undo(`landing:${preview.landing}`, order)
    shell.output.line(`Task ${task.id} (${oneLine(task.title)}) reverts it.`)
    return watchToEnd(shell, client, { task, detach: values["detach"] === true })
  },
}

function undoLines({ landing, task, title, repos }: UndoPlanDocument): string[] {
  const changes = repos.flatMap(({ name, target, commits, subjects, files, added, removed }) => {
    const more = commits - subjects.length
    const size = `${plural(files, "file")}, +${added} -${removed}`
    return [
      `  ${plural(commits, "commit")} on ${oneLine(target)} of ${name}: ${size}`,
      ...subjects.map((subject) => `    ${oneLine(subject)}`),
      ...(more > 0 ? [`    … ${more} more`] : []),
    ]
  })
  return [`Landing ${landing}, of task ${task} (${oneLine(title)}):`, ...changes]
}
