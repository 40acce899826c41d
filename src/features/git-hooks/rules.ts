/** Hooks of git that `landing.hooks` makes part of the gate. Pure. */

/** In the order in which a landing runs them. */
export const GIT_HOOKS = ["pre-commit", "commit-msg", "pre-push"] as const
export type GitHook = (typeof GIT_HOOKS)[number]

/** The text of each hook that a person has approved. */
export type GitHooks = Readonly<Partial<Record<GitHook, string>>>

/** Names a gate in words. @returns null if it has neither a command nor hooks. */
export function nameGate(
  command: string | null | undefined,
  hooks: readonly GitHook[],
): string | null {
  const parts = [command, hooks.length > 0 && `git hooks ${hooks.join(", ")}`].filter(Boolean)
  return parts.length > 0 ? parts.join(", with ") : null
}
