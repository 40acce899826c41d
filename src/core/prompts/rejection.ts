/** The prompt of an agent whose work a person did not approve. Pure. */

/** The next turn's prompt of the same session. @param feedback the person's own words. */
export function rejectionPrompt(feedback: string | undefined): string {
  const words = feedback
    ? `A person has looked at your work and wants it changed before it lands. Their words:\n\n${feedback}`
    : "A person has looked at your work and did not approve it, without saying why. Review it from their point of view: does it do what was asked for, and no more?"
  return [
    words,
    "Your worktree is as you left it. Change it, then stop. The person sees the new state before anything lands; do not merge or push it yourself.",
  ].join("\n\n")
}
