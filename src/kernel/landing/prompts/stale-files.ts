/** The prompt for work that drops changes of others, which its branch contains. Pure. */
import { quoted } from "../../../base/text/fence.ts"
import { nameSome } from "../../../base/text/group-paths.ts"
import { shellWord } from "../../../base/text/shell-word.ts"
import { correctionPrompt } from "./untidy.ts"

/** Changes of one range of commits that the work drops. */
export type Dropped = {
  /** The merge commit that drops it; null: the target gained it after the work began. */
  readonly merge: string | null
  readonly from: string
  readonly to: string
  /** Files that can be brought back as a whole. */
  readonly paths: readonly string[]
  /** Files in which the work changed other lines of the same place. */
  readonly byHand: readonly string[]
  /** The tree of the work with all of it brought back, except for files in `not`. */
  readonly tree: string
  readonly not: readonly string[]
  /** `abbreviated id subject` of the commits that made the changes, newest first. */
  readonly commits: readonly string[]
}

export type StaleFacts = { readonly dropped: readonly Dropped[] }

/** Continues a sentence whose subject is the work. */
export function staleReason({ dropped }: StaleFacts): string {
  const parts = dropped.map(({ merge, paths, byHand }) => {
    const files = nameSome([...paths, ...byHand])
    if (merge === null) return `drops changes that its target had gained, in ${files}`
    return `drops changes of a parent of its merge commit ${merge.slice(0, 12)}, in ${files}`
  })
  return parts.join("; and it ")
}

export function stalePrompt(facts: StaleFacts, worktree: string | null): string {
  const commits = [...new Set(facts.dropped.flatMap((one) => one.commits))]
  return correctionPrompt(worktree, {
    fault: `it ${staleReason(facts)}. Your branch contains the commits below, but these files are, in whole or in part, as they were before them:`,
    why: [
      quoted(commits.join("\n")),
      "That happens after `git reset --soft`, after `git merge -s ours` or a merge that was cut off, and when old copies of files are written back. These commands show what is dropped and bring it back. They keep your own changes:",
    ],
    commands: [...facts.dropped.flatMap(bringBack), "git commit -m <message>"],
    end: "If you dropped it on purpose, as by a revert, leave the files as they are and say why in your last message. A person then decides. Either way, stop when you are done: Coppice lands the work.",
  })
}

function bringBack({ from, to, paths, byHand, tree, not }: Dropped): string[] {
  const specs = [":/", ...not.map((path) => `:(top,exclude,literal)${path}`)].map(shellWord)
  const own = byHand.map((path) => shellWord(`:(top,literal)${path}`)).join(" ")
  const whole = [
    `git diff HEAD ${tree} -- ${specs.join(" ")}`,
    `git restore --source=${tree} --staged --worktree -- ${specs.join(" ")}`,
  ]
  const lines = byHand.length === 0 ? [] : [`git diff ${from} ${to} -- ${own}   # by hand`]
  return paths.length === 0 ? lines : [...whole, ...lines]
}
