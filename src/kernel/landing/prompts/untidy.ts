/** The prompt for a worktree that cannot be landed as its agent left it, and the skeleton of its kind. Pure. */
import { shellWord } from "../../../base/text/shell-word.ts"

export type UntidyFacts = {
  /** Continues a sentence, and names what is in the way. */
  readonly reason: string
  /** One instruction each. */
  readonly steps: readonly string[]
}

export function untidyPrompt({ reason, steps }: UntidyFacts, worktree: string | null): string {
  const place = worktree === null ? "this worktree" : shellWord(worktree)
  return correctionPrompt(null, {
    fault: `${reason}.`,
    why: [[`Put that right in ${place}:`, "", ...steps.map((step) => `- ${step}`)].join("\n")],
    end: "Then stop. Coppice lands the rest; do not merge or push it yourself.",
  })
}

type Correction = {
  readonly fault: string
  /** Paragraphs. */
  readonly why: readonly string[]
  readonly commands?: readonly string[]
  readonly end: string
}

/** @param worktree where the commands run, if the task has several. */
export function correctionPrompt(
  worktree: string | null,
  { fault, why, commands = [], end }: Correction,
): string {
  const lines = worktree === null ? commands : [`cd ${shellWord(worktree)}`, ...commands]
  const block = lines.map((line) => `    ${line}`).join("\n")
  return [`Your work was not landed: ${fault}`, ...why, block, end].filter(Boolean).join("\n\n")
}
