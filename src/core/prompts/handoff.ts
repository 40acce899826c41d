/** How a conversation that is nearly full hands its work to the next one. Pure. */

/** What the agent is told; its last message is the document. */
export const HANDOFF_PROMPT = [
  "Your context is nearly full, so this conversation ends here. Stop working now: change no more files.",
  "Your next message is the last one. Make it a handoff for whoever goes on in this same worktree, who",
  "knows nothing of this conversation: what is wanted, what is done and how it was checked, what is left",
  "in order, what you decided and why, what did not work, and which files matter. Then stop.",
].join(" ")

export type TakeOver = {
  /** What the first conversation was told. */
  readonly wanted: string
  /** That is being carried out; null: there is none. */
  readonly plan: string | null
  readonly document: string
  /** What people have said and answered meanwhile; empty where nobody has. */
  readonly told: string
}

/** The first prompt of the next conversation. */
export function takeOverPrompt({ wanted, plan, document, told }: TakeOver): string {
  return [
    wanted,
    "---",
    "You take this over in the middle: the conversation before yours was full. The worktree is as it was left (`git status`, `git log`).",
    plan ? `The plan that is to be followed:\n\n${plan}` : "",
    `This is its handoff:\n\n${document}`,
    told,
    "Go on from there.",
  ]
    .filter(Boolean)
    .join("\n\n")
}
