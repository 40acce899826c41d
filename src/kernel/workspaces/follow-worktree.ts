/**
 * Follows a task's worktree that a person or an agent moved, as `git worktree move` does.
 *
 * Git's own folder of a worktree stays where it is and names the new place. We believe it only if
 * the `.git` file there names that very folder, so an agent cannot lead us elsewhere.
 */
import { existsSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { isRootOf } from "../git/ask/worktree-of.ts"
import { readPlainText } from "../process/plain-file.ts"
import type { Db } from "../store/open.ts"
import type { Task, TaskRepo } from "../tasks/rows/row.ts"
import { recordMoved } from "../tasks/rows/task-repos/workspace.ts"

/** Records the new place. @returns the repository's updated row. */
export function followWorktree(db: Db, { id }: Pick<Task, "id">, repo: TaskRepo): TaskRepo {
  const found = locateWorktree(repo)
  const { name, worktree } = found
  if (worktree !== null && worktree !== repo.worktree) recordMoved(db, { task: id, name, worktree })
  return found
}

/** @returns the row with the place where its worktree is now, without recording it. */
export function locateWorktree<Repo extends Pick<TaskRepo, "entry" | "worktree">>(
  repo: Repo,
): Repo {
  const { entry, worktree } = repo
  if (entry === null || worktree === null || existsSync(worktree)) return repo
  const link = readPlainText(join(entry, "gitdir"))?.trimEnd()
  const moved = link && dirname(resolve(entry, link))
  return moved && isRootOf(moved, entry) ? { ...repo, worktree: moved } : repo
}
