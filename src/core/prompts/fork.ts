/** First prompts of tasks that go on from another task's conversation. Pure. */

/** The first prompt of a task whose conversation begins as a copy of another task's. */
export function forkPrompt(prompt: string): string {
  return [
    "This is a new task, and this conversation is your own copy of an earlier one. Your worktree is another one too: it starts from the work so far, and what you do here changes nothing of the earlier task.",
    prompt,
  ].join("\n\n")
}

/** The same where the program has no such copy. */
export function forkBrief(
  forked: { readonly prompt: string; readonly lastMessage: string | null } | undefined,
  prompt: string,
): string {
  if (!forked) return prompt
  const words = forked.lastMessage === null ? [] : [`Its agent's last words: ${forked.lastMessage}`]
  return [
    prompt,
    "---",
    "This goes on from another task, and your worktree starts from its work (`git log`). Its conversation is not at hand. Its prompt was:",
    forked.prompt,
    ...words,
  ].join("\n\n")
}
