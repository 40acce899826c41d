/** The report for a person whose own work does not land: the facts, and exact commands. Pure. */

import { lastWords, shellWord } from "../../../base/text/shell-word.ts"
import { type ForeignFacts, takeOutCommands } from "../../landing/prompts/foreign-files.ts"
import type { ConflictFacts, GateFacts } from "../../landing/prompts/hand-back.ts"

export type Reported = {
  readonly task: number
  readonly target: string
  /** Branch and worktree are null if the work is in neither, or in several. */
  readonly branch: string | null
  readonly worktree: string | null
  /** The one commit of work that Coppice made: a revert. */
  readonly commit?: string | undefined
}

type Facts = { conflict: ConflictFacts; gate: GateFacts; foreign: ForeignFacts }

/** @param details of the landing. @returns undefined if its reason says enough. */
export function landingReport(details: unknown, reported: Reported): string | undefined {
  const facts = details as Partial<Facts> | null
  if (facts?.conflict) return conflictReport(reported)
  if (facts?.foreign) return foreignReport(facts.foreign, reported)
  return facts?.gate ? gateReport(facts.gate, reported) : undefined
}

/** The work becomes one commit without these files, in the worktree that has the branch. */
function foreignReport(facts: ForeignFacts, { task, branch, worktree }: Reported): string {
  const there = branch === null ? [] : [`git switch ${shellWord(branch)}`]
  const at = worktree === null ? there : [`cd ${shellWord(worktree)}`]
  const lines = [...at, ...takeOutCommands(facts), `coppice land ${task}`]
  return ["To take them out of every commit:", ...lines.map((line) => `    ${line}`)].join("\n")
}

/** `show` has the parts in conflict. */
function conflictReport(reported: Reported): string | undefined {
  const add = "git add <files>   # after you have edited the files in conflict"
  const lines = [
    ...steps("To resolve it:", reported, [add, "GIT_EDITOR=true git rebase --continue"]),
    ...pickSteps(reported, add),
  ]
  return lines.length > 0 ? lines.join("\n") : undefined
}

function gateReport({ command, output }: GateFacts, reported: Reported): string {
  return [
    ...steps("To see it yourself:", reported, [command]),
    "The end of its output:",
    output.trimEnd(),
  ].join("\n")
}

/** Commands that put a commit without a branch on one, which then lands in the place of its task. */
function pickSteps({ task, target, commit }: Reported, add: string): string[] {
  if (commit === undefined) return []
  const branch = `revert-${task}`
  const lines = [
    `git switch -c ${branch} ${shellWord(target)}`,
    `git cherry-pick ${commit.slice(0, 12)}`,
    add,
    "GIT_EDITOR=true git cherry-pick --continue",
    `coppice land ${branch} && coppice delete ${task}`,
  ]
  return ["To resolve it:", ...lines.map((line) => `    ${line}`)]
}

/** Commands that rebase the work onto the target, then `then`. */
function steps(heading: string, reported: Reported, then: readonly string[]): string[] {
  const { task, target, branch, worktree } = reported
  if (branch === null && worktree === null) return []
  const lines =
    worktree === null
      ? [`git rebase ${lastWords(target, branch ?? "")}   # checks out the branch here`]
      : [`cd ${shellWord(worktree)}`, `git rebase ${shellWord(target)}`]
  return [heading, ...[...lines, ...then, `coppice land ${task}`].map((line) => `    ${line}`)]
}
