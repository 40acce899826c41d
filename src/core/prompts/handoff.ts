/** Prompts with which a nearly full conversation hands its work to a fresh one. Pure. */

/** Asks the agent for the handoff; its last message is the document. */
export const HANDOFF_PROMPT = [
  "Your context is nearly full, so this conversation ends here. Stop working now: change no more files.",
  "Your next message is the last one. Make it a handoff for the agent that continues in this worktree and",
  "knows nothing of this conversation. Say what is wanted, what is done and how you checked it, and what",
  "is left, in order. Say what you decided and why, what did not work, and which files matter. Then stop.",
].join(" ")

export type TakeOver = {
  /** The prompt of the first conversation. */
  readonly wanted: string
  /** The plan in progress; null without one. */
  readonly plan: string | null
  readonly document: string
  /** Messages and answers of people since then; possibly empty. */
  readonly told: string
}

/** The first prompt of the next conversation. */
export function takeOverPrompt({ wanted, plan, document, told }: TakeOver): string {
  return [
    wanted,
    "---",
    "You take over this task half-way, because the previous conversation was full. The worktree is as that conversation left it (`git status`, `git log`).",
    plan ? `Follow this plan:\n\n${plan}` : "",
    `This is its handoff:\n\n${document}`,
    told,
    "Continue from there.",
  ]
    .filter(Boolean)
    .join("\n\n")
}
