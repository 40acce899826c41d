/** The prompt for work that has the changes of a stash that its agent did not make. Pure. */
import { nameSome } from "../../../base/text/group-paths.ts"
import { oneLine } from "../../../base/text/one-line.ts"
import { shellWord } from "../../../base/text/shell-word.ts"
import { correctionPrompt } from "./untidy.ts"

export type PoppedStash = {
  readonly oid: string
  /** `WIP on main: 1a2b3c4 subject`. */
  readonly message: string
  /** The files whose changes the work has. */
  readonly tracked: readonly string[]
  /** New files that it has. */
  readonly untracked: readonly string[]
}

export type StashFacts = { readonly popped: readonly PoppedStash[] }

/** Continues a sentence whose subject is the work. */
export function stashReason({ popped }: StashFacts): string {
  const parts = popped.map(({ message, tracked, untracked }) => {
    const files = nameSome([...tracked, ...untracked])
    return `holds changes of the stash "${oneLine(message)}", which its agent did not make, in ${files}`
  })
  return parts.join("; and it ")
}

export function stashPrompt(facts: StashFacts, worktree: string | null): string {
  return correctionPrompt(worktree, {
    fault: `it ${stashReason(facts)}. All worktrees of a repository share one list of stashes, so \`git stash pop\` can take what another person or agent has put there. A popped stash is back in the list.`,
    why: ["These commands take it out of your work, and keep your own changes:"],
    commands: [...facts.popped.flatMap(takeOut), "git commit -m <message>"],
    end: "If your task asks for that stash, or the changes are your own, leave the files as they are and say why in your last message. A person then decides. Either way, stop when you are done: Coppice lands the work. Commit instead of using `git stash`.",
  })
}

function takeOut({ oid, tracked, untracked }: PoppedStash): string[] {
  const named = (paths: readonly string[]) =>
    paths.map((path) => shellWord(`:(top,literal)${path}`)).join(" ")
  const patch = `git diff --binary ${oid}^1 ${oid} -- ${named(tracked)}`
  const apply = `git -C "$(git rev-parse --show-toplevel)" apply --reverse --index`
  return [
    ...(tracked.length === 0 ? [] : [`${patch} | ${apply}`]),
    ...(untracked.length === 0 ? [] : [`git rm --quiet -- ${named(untracked)}`]),
  ]
}
