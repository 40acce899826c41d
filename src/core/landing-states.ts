/** The states of a task in which a landing carries its work. Pure. */

/** Whether a landing carries its work: to the target, or by a pull request. */
export const isLanding = (state: string): boolean => state === "merging" || isProposing(state)

/** Whether its work is on its way into a pull request, or in one. */
export const isProposing = (state: string): boolean => state === "shipping" || isInReviews(state)

/** Whether its pull request is open. */
export const isInReviews = (state: string): boolean =>
  state === "reviews_in_progress" || state === "pr_ready"
