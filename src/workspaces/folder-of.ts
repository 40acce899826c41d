/** Finds the folder of a task in one of its repositories. */
import type { Task, TaskRepo } from "../store/tasks/row.ts"

/** @returns null if it is not set up yet, or gone. */
export function folderOf({ strategy }: Pick<Task, "strategy">, repo: TaskRepo): string | null {
  return strategy === "static" ? repo.path : repo.worktree
}
