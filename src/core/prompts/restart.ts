/** What a fresh conversation is told about the work that it takes over. Pure. */

import type { Question } from "../question.ts"
import type { Reason } from "../task.ts"
import { earlierAnswers } from "./answers.ts"
import { planPrompt } from "./plan.ts"

export type Stopped = {
  readonly prompt: string
  /** Set where it was written, and approved if that is asked for. */
  readonly plan: string | null
  readonly reason: Reason | null
  readonly lastMessage: string | null
  /** What keeps the work from landing. */
  readonly unresolved: string | null
  /** `<status> <path>` of what was changed, the first of them, and how many there are in all. */
  readonly changes: { readonly files: readonly string[]; readonly inAll: number }
  /** What its agents have asked: with an answer, and given up without one. */
  readonly answered: readonly Question[]
  readonly unanswered: readonly Question[]
  /** What people have said and no agent was told, oldest first. */
  readonly words: readonly string[]
}

/** The task, its plan, why it stopped, what keeps it from landing, and what was done so far. */
export function restartPrompt(stopped: Stopped, phase: "planning" | "working"): string {
  const { prompt, plan, reason, lastMessage, unresolved, changes, words } = stopped
  const { answered, unanswered } = stopped
  return [
    phase === "planning" ? planPrompt(prompt) : prompt,
    "---",
    "Somebody worked on this before you, in this same worktree, and stopped. Look at what is there (`git status`, `git log`) before you go on; uncommitted changes are that work.",
    phase === "working" && plan ? `The plan that is to be followed:\n\n${plan}` : "",
    reason ? `Why it stopped: ${reason.text}` : "",
    lastMessage ? `Its last words: ${lastMessage}` : "",
    changes.inAll > 0 ? changedFiles(changes) : "",
    unresolved ? `What keeps the work from landing:\n\n${unresolved}` : "",
    answered.length > 0 ? earlierAnswers(answered) : "",
    unanswered.length > 0 ? stillUnknown(unanswered) : "",
    words.length > 0 ? `A person who looks after this task says:\n\n${words.join("\n\n")}` : "",
  ]
    .filter(Boolean)
    .join("\n\n")
}

function stillUnknown(unanswered: readonly Question[]): string {
  const asked = unanswered.map(({ text }) => `- ${text}`).join("\n")
  return `Nobody has answered this, and nobody will any more. Ask anew what you still have to know:\n\n${asked}`
}

function changedFiles({ files, inAll }: Stopped["changes"]): string {
  const more = inAll > files.length ? `\n… and ${inAll - files.length} more` : ""
  return `What is changed so far, committed or not:\n\n${files.join("\n")}${more}`
}
