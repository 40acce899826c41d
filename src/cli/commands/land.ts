/** `land <task | branch | worktree>`: lands a task again, or work that no agent of ours did. */
import { lastWords, shellWord } from "../../core/shell-word.ts"
import type { WorkToLand } from "../../core/wire/documents.ts"
import type { TaskDocument } from "../../core/wire.ts"
import type { Command, Shell, Values } from "../command.ts"
import { UsageError } from "../errors.ts"
import { planLines } from "../format/plan.ts"
import { taskState } from "../format/state.ts"
import { workLines } from "../format/work.ts"
import { textValue } from "../operands.ts"
import { ORDER, orderFrom } from "../order.ts"
import { DETACH, seeThrough } from "../see-through.ts"

export const command: Command = {
  operands: "<task | branch | worktree>",
  options: {
    target: { type: "string", value: "<branch>", about: "Land a branch or worktree on this one" },
    title: { type: "string", value: "<title>", about: "Call the landing of a branch this" },
    ...ORDER,
    "dry-run": { type: "boolean", about: "Say what would be done, and do nothing" },
    detach: { ...DETACH, about: "Do not watch the landing of a branch or worktree" },
  },
  details:
    "A branch, or what stands in a worktree, lands by its commits alone, and stays as it is.\n" +
    "A task is put into the queue; `coppice why` says how far it is.",

  async run(shell, positionals, values) {
    const { output, json } = shell
    const client = await shell.connect()
    const work = workToLand(shell, positionals, values)
    if (values["dry-run"] === true) {
      const plan = await client.planLanding(work)
      if (json) output.document(plan)
      else output.lines(planLines(output, plan))
      return 0
    }
    const { task, taken } = await client.land(work)
    if (!taken) {
      if (json) output.document(task)
      else output.line(taskState(output, task))
      return 0
    }
    output.lines(workLines(output, task, taken))
    const detach = values["detach"] === true
    const code = await seeThrough(shell, client, { task, detach })
    if (!detach) for (const hint of hints(await client.show(task.id))) output.note(hint)
    return code
  },
}

function workToLand({ cwd }: Shell, positionals: readonly string[], values: Values): WorkToLand {
  const [ref, ...rest] = positionals
  if (!ref || rest.length > 0)
    throw new UsageError("`land` takes one task, branch or worktree.", [
      "`coppice ls` lists the tasks; `coppice land .` lands what stands in this worktree.",
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

/** What is left to a person, of work that is theirs. */
function hints({ id, state, repos }: TaskDocument): string[] {
  if (state === "merge_failed")
    return [
      `\`coppice logs ${id}\` has the facts. \`coppice land ${id}\` takes what you commit next.`,
    ]
  if (state === "cancelled") return []
  if (state !== "complete") return [`\`coppice why ${id}\` says what it waits for.`]
  return repos.map(stays)
}

/** Git removes neither a branch that is checked out, nor the main worktree. */
function stays({ branch, worktree, target, path }: TaskDocument["repos"][number]): string {
  const [at, onto] = [shellWord(worktree ?? ""), shellWord(target)]
  if (branch === null) return `${worktree} is as it was; \`git worktree remove ${at}\` removes it.`
  const name = lastWords(branch)
  if (worktree === null)
    return `${branch} is as before. \`git rebase ${lastWords(target, branch)}\` brings it up to date, \`git branch -D ${name}\` removes it.`
  const rebase = `\`git -C ${at} rebase ${onto}\` brings it up to date`
  if (worktree === path)
    return `${worktree} stands on ${branch} as before. ${rebase}, \`git -C ${at} switch ${onto}\` goes on from what landed.`
  return `${branch} and ${worktree} are as before. ${rebase}, \`git worktree remove ${at}\` and \`git branch -D ${name}\` remove them.`
}
