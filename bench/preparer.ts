/**
 * Sets up the worktrees of so many tasks at once, when its parent says so, as the daemon does it.
 *
 * A process of its own, with a heap like the daemon's: what starting git costs depends on it.
 */
import type { TaskId } from "../src/base/ids.ts"
import { openDb } from "../src/kernel/store/open.ts"
import { GitWorktreeStrategy } from "../src/kernel/workspaces/git-worktree.ts"
import { workspaceRequest } from "../test/support/workspaces.ts"

const [repo] = process.argv.slice(2) as [string]
const workspaces = new GitWorktreeStrategy({ home: "bench", db: openDb(":memory:") })
const { signal } = new AbortController()
const TITLE = "Do what this task is for, as one line of a list says it"

const setUp = (task: number) =>
  workspaces.setup(
    workspaceRequest(
      { path: repo },
      { task: task as TaskId, title: TITLE, agent: "sh", job: task, nowMs: Date.now(), signal },
    ),
  )

process.on("message", async ({ count }: { readonly count: number }) => {
  const startMs = performance.now()
  await Promise.all(Array.from({ length: count }, (_, n) => setUp(n + 1)))
  process.send?.({ timeMs: performance.now() - startMs })
})
