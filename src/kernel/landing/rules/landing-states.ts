/** The ways to land, and the states of a task in which a landing carries its work. Pure. */

/**
 * `approve`: as `merge`, after a person approves the commits. `pr`: by a pull request, which the
 * forge merges. `none`: does not land unasked.
 */
export type LandMode = "merge" | "approve" | "pr" | "none"

/** Whether a landing carries its work: to the target, or by a pull request. */
export const isLanding = (state: string): boolean => state === "merging" || isProposing(state)

/** Whether its work is on its way into a pull request, or in one. */
export const isProposing = (state: string): boolean =>
  state === "shipping" || isPullRequestOpen(state)

/** Whether its pull request is open. */
export const isPullRequestOpen = (state: string): boolean =>
  state === "reviews_in_progress" || state === "pr_ready"
