/** Finds the worktree of work without an agent, so that we can report uncommitted changes. */
import { existsSync } from "node:fs"
import { branchRef } from "../../core/ids.ts"
import { listWorktrees } from "../../git/ask/worktree-list.ts"
import type { TaskRepo } from "../../store/tasks/row.ts"

/** The named worktree, if it still exists. */
export function findGiven({ worktree }: Pick<TaskRepo, "worktree">): string | undefined {
  return worktree !== null && existsSync(worktree) ? worktree : undefined
}

/** The same, else the one that has the branch checked out. */
export async function findPlaceOfWork(
  repo: Pick<TaskRepo, "path" | "branch" | "worktree">,
): Promise<string | undefined> {
  const { path, branch } = repo
  const given = findGiven(repo)
  if (given || branch === null) return given
  const worktrees = await listWorktrees(path)
  return worktrees.find((one) => one.branch === branchRef(branch) && !one.prunable)?.path
}
