/** The prompt of a fresh conversation that takes over earlier work. Pure. */

import type { Question } from "../question.ts"
import type { Reason } from "../task.ts"
import { earlierAnswers } from "./answers.ts"
import { planPrompt } from "./plan.ts"

export type Stopped = {
  readonly prompt: string
  /** Set once it is written, and approved if needed. */
  readonly plan: string | null
  readonly reason: Reason | null
  readonly lastMessage: string | null
  /** The reason why the work does not land. */
  readonly unresolved: string | null
  /** `<status> <path>` of the first changed files, and the number of all. */
  readonly changes: { readonly files: readonly string[]; readonly inAll: number }
  /** Questions of its agents: answered ones, and ones given up. */
  readonly answered: readonly Question[]
  readonly unanswered: readonly Question[]
  /** Messages that no agent has received, oldest first. */
  readonly words: readonly string[]
}

/** The task, its plan, why it stopped, why it does not land, and the changes so far. */
export function restartPrompt(stopped: Stopped, phase: "planning" | "working"): string {
  const { prompt, plan, reason, lastMessage, unresolved, changes, words } = stopped
  const { answered, unanswered } = stopped
  return [
    phase === "planning" ? planPrompt(prompt) : prompt,
    "---",
    "Another agent worked on this before you, in this same worktree, and stopped. Look at its work (`git status`, `git log`) before you continue; uncommitted changes are part of it.",
    phase === "working" && plan ? `Follow this plan:\n\n${plan}` : "",
    reason ? `Why it stopped: ${reason.text}` : "",
    lastMessage ? `Its last words: ${lastMessage}` : "",
    changes.inAll > 0 ? changedFiles(changes) : "",
    unresolved ? `The work does not land because of this:\n\n${unresolved}` : "",
    answered.length > 0 ? earlierAnswers(answered) : "",
    unanswered.length > 0 ? stillUnknown(unanswered) : "",
    words.length > 0 ? `A person who looks after this task says:\n\n${words.join("\n\n")}` : "",
  ]
    .filter(Boolean)
    .join("\n\n")
}

function stillUnknown(unanswered: readonly Question[]): string {
  const asked = unanswered.map(({ text }) => `- ${text}`).join("\n")
  return `These questions stay without an answer. Ask again if you still need one:\n\n${asked}`
}

function changedFiles({ files, inAll }: Stopped["changes"]): string {
  const more = inAll > files.length ? `\n… and ${inAll - files.length} more` : ""
  return `Changes so far, committed or not:\n\n${files.join("\n")}${more}`
}
