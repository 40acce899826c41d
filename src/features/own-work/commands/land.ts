/** `land <task | branch | worktree>`: lands a task, or a branch or worktree of your own. */
import type { Client } from "../../../api/client/client.ts"
import { type Watching, watchFrom } from "../../../api/client/watch-task.ts"
import type { WorkToLand } from "../../../api/wire/landings.ts"
import type { TaskDocument } from "../../../api/wire/tasks.ts"
import { AppError } from "../../../base/errors.ts"
import { lastWords, shellWord } from "../../../base/text/shell-word.ts"
import type { Command, Shell, Values } from "../../../surfaces/cli/command.ts"
import { UsageError } from "../../../surfaces/cli/errors.ts"
import { taskState } from "../../../surfaces/cli/format/state.ts"
import { textValue } from "../../../surfaces/cli/operands.ts"
import { ORDER, orderFrom } from "../../../surfaces/cli/queue-options.ts"
import { DETACH, watchToEnd } from "../../../surfaces/cli/watch-to-end.ts"
import { previewLines } from "../../preview/format.ts"
import { landSummary } from "./land-summary.ts"

export const command: Command = {
  operands: "<task | branch | worktree>",
  options: {
    target: { type: "string", value: "<branch>", about: "Branch to land a branch or worktree on" },
    title: { type: "string", value: "<title>", about: "Title of the landing of a branch" },
    ...ORDER,
    "dry-run": { type: "boolean", about: "Only show what would be done" },
    detach: { ...DETACH, about: "Return without watching the landing" },
  },
  details:
    "Lands only the commits of a branch or worktree, and leaves both as they are.\n" +
    "A task joins the queue; `coppice why` shows its progress.",

  async run(shell, positionals, values) {
    const { output, json } = shell
    const client = await shell.connect()
    const work = workToLand(shell, positionals, values)
    if (values["dry-run"] === true) {
      const preview = await client.planLanding(work)
      if (json) output.document(preview)
      else output.lines(previewLines(output, preview))
      return preview.repos.some(({ way }) => way === "conflict" || way === "refused") ? 1 : 0
    }
    const detach = values["detach"] === true
    const from = detach ? undefined : await findStart(client, work.ref)
    const { task, taken } = await client.land(work)
    if (!taken && detach) output.line(taskState(output, task))
    if (taken) output.lines(landSummary(output, task, taken))
    const after = taken ? undefined : from
    const code = await watchToEnd(shell, client, { task, detach, after })
    if (taken && !detach)
      for (const hint of nextSteps(await client.show(task.id))) output.note(hint)
    return code
  },
}

/** Undefined for work that has no task yet. */
async function findStart(client: Client, ref: string): Promise<Watching["after"]> {
  try {
    return await watchFrom(client, (await client.show(ref)).id)
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}

function workToLand({ cwd }: Shell, positionals: readonly string[], values: Values): WorkToLand {
  const [ref, ...rest] = positionals
  if (!ref || rest.length > 0)
    throw new UsageError("`land` takes one task, branch or worktree.", [
      "`coppice ls` lists the tasks; `coppice land .` lands this worktree.",
    ])
  const target = textValue(values, "target")
  const title = textValue(values, "title")
  return {
    ref,
    cwd,
    ...(target !== undefined && { target }),
    ...(title !== undefined && { title }),
    ...orderFrom(values),
  }
}

/** Commands that the user may want next. */
function nextSteps({ id, state, repos }: TaskDocument): string[] {
  if (state === "merge_failed")
    return [
      `\`coppice logs ${id}\` shows why. Commit a fix, then \`coppice land ${id}\` tries again.`,
    ]
  if (state === "cancelled") return []
  if (state !== "complete") return [`\`coppice why ${id}\` says what it waits for.`]
  return repos.map(tidyUp)
}

/**
 * The commands that tidy up after a landing. They differ, because git removes neither a branch that is
 * checked out nor the main worktree.
 */
function tidyUp({ branch, worktree, target, path }: TaskDocument["repos"][number]): string {
  const [at, onto] = [shellWord(worktree ?? ""), shellWord(target)]
  if (branch === null) return `${worktree} is unchanged. \`git worktree remove ${at}\` removes it.`
  const name = lastWords(branch)
  if (worktree === null)
    return `${branch} is unchanged. \`git rebase ${lastWords(target, branch)}\` brings it up to date, \`git branch -D ${name}\` removes it.`
  const rebase = `\`git -C ${at} rebase ${onto}\` brings it up to date`
  if (worktree === path)
    return `${worktree} is still on ${branch}. ${rebase}, \`git -C ${at} switch ${onto}\` continues from what landed.`
  return `${branch} and ${worktree} are unchanged. ${rebase}, \`git worktree remove ${at}\` and \`git branch -D ${name}\` remove them.`
}
