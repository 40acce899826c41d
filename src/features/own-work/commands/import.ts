/** `import`: lists work of other tools and of people, and makes tasks of it that land. */

import type { ImportableDocument } from "../../../api/wire/landings.ts"
import type { TaskDocument } from "../../../api/wire/tasks.ts"
import { AppError, exitCodeFor } from "../../../base/errors.ts"
import { oneLine } from "../../../base/text/one-line.ts"
import type { Command } from "../../../surfaces/cli/command.ts"
import { UsageError } from "../../../surfaces/cli/errors.ts"
import { formatTable } from "../../../surfaces/cli/format/table.ts"
import { plural } from "../../../surfaces/cli/format/text.ts"
import { textValue } from "../../../surfaces/cli/operands.ts"
import type { Output } from "../../../surfaces/cli/output.ts"
import { landSummary } from "./land-summary.ts"

export const command: Command = {
  operands: "[branch | worktree…]",
  options: {
    all: { type: "boolean", about: "All that the list has" },
    land: { type: "boolean", about: "Land it without waiting for your approval" },
    target: { type: "string", value: "<branch>", about: "Branch to land on" },
  },
  details: [
    "Without operands, lists branches and worktrees that belong to no task, and the tool that made",
    "them. Each that you name becomes a task that waits for `coppice approve`. Only commits land;",
    "branch, worktree and uncommitted files stay as they are.",
  ].join("\n"),

  async run(shell, positionals, values) {
    const { output, json, cwd } = shell
    const all = values["all"] === true
    if (all && positionals.length > 0)
      throw new UsageError("`import --all` takes no branches or worktrees.")
    const client = await shell.connect()
    const listed = all || positionals.length === 0 ? await client.listImportable() : { work: [] }
    if (!all && positionals.length === 0) {
      if (json) output.document(listed)
      else output.lines(listLines(output, listed))
      return 0
    }
    const target = textValue(values, "target")
    const settings = { ...(target !== undefined && { target }), review: values["land"] !== true }
    const refs = all ? listed.work.map(refOf) : positionals
    const tasks: TaskDocument[] = []
    let exitCode = 0
    for (const ref of refs)
      try {
        const { task, taken } = await client.land({ ref, cwd, ...settings })
        tasks.push(task)
        if (taken) output.lines(landSummary(output, task, taken))
      } catch (error) {
        if (refs.length === 1 || !(error instanceof AppError)) throw error
        output.note(`coppice: ${error.message}`)
        exitCode = Math.max(exitCode, exitCodeFor(error.blame))
      }
    if (json) output.document({ tasks })
    else if (tasks.length > 0) output.note(nextStep(tasks, settings.review))
    return exitCode
  },
}

/** By its path where it has one: a detached worktree has no branch. */
const refOf = ({ branch, worktree, head }: ImportableDocument["work"][number]): string =>
  worktree ?? branch ?? head

function nextStep(tasks: readonly TaskDocument[], needsApproval: boolean): string {
  const ids = tasks.map(({ id }) => id).join(" ")
  return needsApproval
    ? `\`coppice diff <task>\` shows it; \`coppice approve ${ids}\` lands it.`
    : "`coppice queue` shows the order in which it lands."
}

function listLines(output: Output, { work }: ImportableDocument): string[] {
  if (work.length === 0) return ["There is no work outside of tasks."]
  const heading = ["MADE BY", "BRANCH", "AHEAD", "BEHIND", "UNCOMMITTED", "WORKTREE"]
  const rows = work.map(({ madeBy, branch, ahead, behind, uncommitted, worktree }) => [
    madeBy ?? "-",
    oneLine(branch ?? "-"),
    String(ahead),
    String(behind),
    uncommitted === 0 ? "-" : plural(uncommitted, "file"),
    oneLine(worktree ?? "-"),
  ])
  const painted = heading.map((name) => output.paint("dim", name))
  return [
    ...formatTable([painted, ...rows]),
    "",
    "`coppice import <branch>` makes a task of one, `coppice import --all` of each.",
  ]
}
