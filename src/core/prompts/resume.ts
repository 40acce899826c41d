/** The prompt of an agent that continues a complete task. Pure. */

/**
 * The next turn's prompt of the same conversation.
 *
 * @param words the person's own; undefined if they gave none.
 * @param isFresh its worktree was removed, so it gets a new one.
 */
export function resumePrompt(
  words: string | undefined,
  { isFresh }: { readonly isFresh: boolean },
): string {
  const place = isFresh
    ? "This task was complete, and your work is in its target branch unless that changed since. You are in a new worktree of that branch, so files may differ from what you remember."
    : "This task was complete, and its worktree is as you left it."
  const wish = words
    ? `A person wants you to continue. Their words:\n\n${words}`
    : "A person wants you to continue, without saying what is missing. Check that everything is done, and done well; repair the rest."
  return [place, wish].join("\n\n")
}
