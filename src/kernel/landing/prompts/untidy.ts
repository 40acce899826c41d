/** The prompt for a worktree that cannot be landed as its agent left it. Pure. */
import { shellWord } from "../../../base/text/shell-word.ts"

export type UntidyFacts = {
  /** Continues a sentence, and names what is in the way. */
  readonly reason: string
  /** One instruction each. */
  readonly steps: readonly string[]
}

export function untidyPrompt({ reason, steps }: UntidyFacts, worktree: string | null): string {
  const place = worktree === null ? "this worktree" : shellWord(worktree)
  return [
    `Your work was not landed: ${reason}.`,
    [`Put that right in ${place}:`, "", ...steps.map((step) => `- ${step}`)].join("\n"),
    "Then stop. Coppice lands the rest; do not merge or push it yourself.",
  ].join("\n\n")
}
