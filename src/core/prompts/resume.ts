/** What an agent is told when a person lets it go on with a task that was complete. Pure. */

/**
 * The next turn's prompt of the same conversation.
 *
 * @param words the person's own; undefined: they said nothing beside that it is to go on.
 * @param isFresh its worktree was removed, so that it gets a new one.
 */
export function resumePrompt(
  words: string | undefined,
  { isFresh }: { readonly isFresh: boolean },
): string {
  const place = isFresh
    ? "This task was complete, and your work is in its target branch unless that was changed since. You are in a new worktree made from that branch as it is now: what you remember of the files may have changed."
    : "This task was complete, and its worktree is as it was left."
  const wish = words
    ? `A person wants you to go on. Their words:\n\n${words}`
    : "A person wants you to go on, without saying what is missing. See whether what was asked for is all done, and done well; mend what is not."
  return [place, wish].join("\n\n")
}
