/** The strategies of workspaces. */

/** `static`: the agent works in its folder as it is, and nothing lands. */
export type StrategyName = "git_worktree" | "static"
