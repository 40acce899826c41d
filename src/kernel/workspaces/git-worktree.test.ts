import { strategyOf } from "../../../test/support/workspaces.ts"
import { workspaceContract } from "./contract.ts"

workspaceContract("git_worktree", () => strategyOf("/home/of/this/test"))
