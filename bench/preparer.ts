/**
 * Sets up the worktrees of so many tasks at once, when its parent says so, as the daemon does it.
 *
 * A process of its own, with a heap like the daemon's: what starting git costs depends on it.
 */
import type { TaskId } from "../src/core/ids.ts"
import { GitWorktreeStrategy } from "../src/workspaces/git-worktree.ts"

const [repo] = process.argv.slice(2) as [string]
const workspaces = new GitWorktreeStrategy({ home: "bench" })
const { signal } = new AbortController()

const setUp = (task: number) =>
  workspaces.setup({
    task: task as TaskId,
    title: "Do what this task is for, as one line of a list says it",
    workItem: null,
    agent: "sh",
    job: task,
    nowMs: Date.now(),
    repo,
    repoName: "repo",
    target: "main",
    worktreeDir: "../<repo>.worktrees",
    branchPattern: "agent/{agent}/{workItem}",
    fetch: false,
    copy: [],
    link: [],
    earlier: undefined,
    pooled: false,
    signal,
  })

process.on("message", async ({ count }: { readonly count: number }) => {
  const startMs = performance.now()
  await Promise.all(Array.from({ length: count }, (_, n) => setUp(n + 1)))
  process.send?.({ timeMs: performance.now() - startMs })
})
