/** What a fresh conversation is told about the work that it takes over. Pure. */
import type { Reason } from "./task.ts"

type Stopped = {
  readonly prompt: string
  readonly reason: Reason | null
  readonly lastMessage: string | null
}

/** The task, why it stopped, what keeps it from landing, and that the worktree holds what was done so far. */
export function restartPrompt(
  { prompt, reason, lastMessage }: Stopped,
  unresolved: string | null,
): string {
  return [
    prompt,
    "---",
    "Somebody worked on this before you, in this same worktree, and stopped. Look at what is there (`git status`, `git log`) before you go on; uncommitted changes are that work.",
    reason ? `Why it stopped: ${reason.text}` : "",
    lastMessage ? `Its last words: ${lastMessage}` : "",
    unresolved ? `What keeps the work from landing:\n\n${unresolved}` : "",
  ]
    .filter(Boolean)
    .join("\n\n")
}
