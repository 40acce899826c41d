/** Finds where the work of no agent of ours lies on disk, so that what is not committed can be told. */
import { existsSync } from "node:fs"
import { branchRef } from "../../core/ids.ts"
import { listWorktrees } from "../../git/worktrees/worktree-list.ts"
import type { TaskRepo } from "../../store/tasks/row.ts"

/** The worktree that was named, where it is still there. */
export function findGiven({ worktree }: Pick<TaskRepo, "worktree">): string | undefined {
  return worktree !== null && existsSync(worktree) ? worktree : undefined
}

/** The same, else the one in which the branch is checked out. */
export async function findPlaceOfWork(
  repo: Pick<TaskRepo, "path" | "branch" | "worktree">,
): Promise<string | undefined> {
  const { path, branch } = repo
  const given = findGiven(repo)
  if (given || branch === null) return given
  const worktrees = await listWorktrees(path)
  return worktrees.find((one) => one.branch === branchRef(branch) && !one.prunable)?.path
}
