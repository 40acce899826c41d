/** Hooks of git that `landing.hooks` makes part of the gate. Pure. */

/** In the order in which a landing runs them. */
export const GIT_HOOKS = ["pre-commit", "commit-msg", "pre-push"] as const
export type GitHook = (typeof GIT_HOOKS)[number]

/** The text of each hook that a person has approved. */
export type GitHooks = Readonly<Partial<Record<GitHook, string>>>
