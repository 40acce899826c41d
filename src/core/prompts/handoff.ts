/** How a conversation that is nearly full hands its work to the next one. Pure. */

/** What the agent is told; its last message is the document. */
export const HANDOFF_PROMPT = [
  "Your context is nearly full, so this conversation ends here. Stop working now: change no more files.",
  "Your next message is the last one. Make it a handoff for whoever goes on in this same worktree, who",
  "knows nothing of this conversation: what is wanted, what is done and how it was checked, what is left",
  "in order, what you decided and why, what did not work, and which files matter. Then stop.",
].join(" ")

/** The first prompt of the next conversation. @param wanted what the first one was told. */
export function takeOverPrompt(wanted: string, document: string): string {
  return [
    wanted,
    "---",
    "You take this over in the middle: the conversation before yours was full. The worktree is as it was left (`git status`, `git log`). This is its handoff:",
    document,
    "Go on from there.",
  ].join("\n\n")
}
