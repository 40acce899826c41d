/** Finds the worktrees that set-ups of a task made, also those that were never recorded. */
import type { TaskId } from "../../core/ids.ts"
import { listWorktrees } from "../../git/worktrees/worktree-list.ts"
import type { FoundWorkspace } from "../workspace.ts"
import { readRepository, type WorktreeContext } from "./context.ts"
import { readOwner } from "./ownership.ts"

export async function findTaskWorktrees(
  { home }: WorktreeContext,
  repo: string,
  task: TaskId,
): Promise<FoundWorkspace[]> {
  const { root } = await readRepository(repo)
  const found: FoundWorkspace[] = []
  for (const { path, gitDir } of await listWorktrees(root)) {
    const owner = gitDir === undefined ? undefined : readOwner(gitDir)
    if (owner?.home !== home || owner.task !== task) continue
    found.push({ worktree: path, branch: owner.branch })
  }
  return found
}
