/** Tells which states of a task have a landing that carries its work. Pure. */

/** Towards the target, or by a pull request. */
export const isLanding = (state: string): boolean => state === "merging" || isProposing(state)

/** Its work is on its way into a pull request, or in one. */
export const isProposing = (state: string): boolean => state === "shipping" || isInReviews(state)

/** Its pull request is open. */
export const isInReviews = (state: string): boolean =>
  state === "reviews_in_progress" || state === "pr_ready"
