/** The process of a {@link WorktreeHome}: sets up and removes worktrees when its parent says so. */
import { openDb } from "../../src/kernel/store/open.ts"
import { GitWorktreeStrategy } from "../../src/kernel/workspaces/git-worktree.ts"
import type { WorkspaceRequest, WorkspaceToRemove } from "../../src/kernel/workspaces/workspace.ts"

export type Order =
  | { readonly setUp: readonly Omit<WorkspaceRequest, "signal" | "recordBranch" | "findBegun">[] }
  | { readonly tearDown: readonly WorkspaceToRemove[] }

const [home] = process.argv.slice(2) as [string]
const strategy = new GitWorktreeStrategy({ home, db: openDb(":memory:") })
const { signal } = new AbortController()

process.on("message", async (order: Order) => {
  const done =
    "setUp" in order
      ? order.setUp.map((request) =>
          strategy.setup({ ...request, signal, recordBranch() {}, findBegun: () => undefined }),
        )
      : order.tearDown.map((workspace) => strategy.teardown({ ...workspace, before: undefined }))
  const results = await Promise.all(done)
  await strategy.settled(60_000)
  process.send?.(results)
})
