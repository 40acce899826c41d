/** Says what an agent has to put right in its worktree before that can be landed, and how. */
import { branchOf } from "../../../base/ids.ts"
import { shellWord } from "../../../base/text/shell-word.ts"
import { givesUp, inProgress, type OperationKind } from "../../git/ask/operation-in-progress.ts"
import { listWorktrees, type Worktree } from "../../git/ask/worktree-list.ts"
import { displayPath } from "../../git/start/git-path.ts"
import type { UntidyFacts } from "../prompts/untidy.ts"
import type { Unresolved } from "./leftovers.ts"

export const untidyOperation = (kind: OperationKind, worktree: string): UntidyFacts => ({
  reason: inProgress(kind, worktree),
  steps: [`Finish the ${kind}, or give it up with \`${givesUp(kind)}\`.`],
})

export const untidyHead = (reason: string, branch: string): UntidyFacts => ({
  reason,
  steps: [
    `Bring all of your work onto the branch ${branch} (\`git branch <name>\` keeps a commit, \`git switch ${shellWord(branch)}\` returns to the branch).`,
  ],
})

/** Describes files that no commit can hold, by kind. */
export async function untidyFiles(
  worktree: string,
  unresolved: readonly Unresolved[],
): Promise<UntidyFacts> {
  const inner = await listInner(worktree)
  const parts = unresolved.map(({ kind, path }): Part => {
    const name = displayPath(path)
    if (kind === "conflict") return conflict(name)
    if (kind === "submodule") return submodule(name)
    if (kind === "movedSubmodule") return movedSubmodule(name)
    const found = inner.get(name.replace(/\/$/, ""))
    return found ? innerWorktree(name, found) : repository(name)
  })
  const shown = parts.slice(0, NAMED_MAX)
  const more = parts.length > NAMED_MAX ? [`and ${parts.length - NAMED_MAX} more`] : []
  return {
    reason: `in ${worktree} lie ${[...shown.map(({ what }) => what), ...more].join(", ")}`,
    steps: shown.map(({ step }) => step),
  }
}

/** Enough for a prompt; the rest is only counted. */
const NAMED_MAX = 10

type Part = { readonly what: string; readonly step: string }

const conflict = (name: string): Part => ({
  what: `${name}, whose conflict is not resolved`,
  step: `Resolve the conflict in ${name}, and \`git add -- ${shellWord(name)}\`.`,
})

const submodule = (name: string): Part => ({
  what: `${name}, a submodule with changes that it has not committed`,
  step: `Commit the changes within ${name}, or undo them.`,
})

const movedSubmodule = (name: string): Part => ({
  what: `${name}, a submodule at another commit than the branch records`,
  step: `Commit ${name} as it is now, or bring it back with \`git submodule update -- ${shellWord(name)}\`.`,
})

const repository = (name: string): Part => ({
  what: `${name}, another repository`,
  step: `Move ${name} out of the worktree, or remove it if nothing in it is needed; if it is no work, list it in .gitignore.`,
})

/** The branch stays in the repository, also when the folder goes. */
function innerWorktree(name: string, { branch }: Worktree): Part {
  const on = branch === undefined ? "" : ` on the branch ${branchOf(branch)}`
  const keeps = branch === undefined ? "" : `, whose branch ${branchOf(branch)} stays`
  return {
    what: `${name}, a worktree of this repository${on}`,
    step: `Take what belongs to your task from ${name}, then \`git worktree remove -- ${shellWord(name)}\`${keeps}.`,
  }
}

/** The worktrees below this one, by their path from here. */
async function listInner(worktree: string): Promise<ReadonlyMap<string, Worktree>> {
  const below = (await listWorktrees(worktree)).filter(({ path }) =>
    path.startsWith(`${worktree}/`),
  )
  return new Map(below.map((one) => [one.path.slice(worktree.length + 1), one]))
}
