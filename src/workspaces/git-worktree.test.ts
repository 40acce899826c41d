import { workspaceContract } from "./contract.ts"
import { GitWorktreeStrategy } from "./git-worktree.ts"

workspaceContract("git_worktree", () => new GitWorktreeStrategy({ home: "/home/of/this/test" }))
