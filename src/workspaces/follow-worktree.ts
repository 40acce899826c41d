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
import { recordMoved } from "../store/task-repos/workspace.ts"
import type { Task, TaskRepo } from "../store/tasks/row.ts"

/** @returns the repository's updated row. */
export function followWorktree(db: Db, { id }: Pick<Task, "id">, repo: TaskRepo): TaskRepo {
  const { entry, worktree, name } = repo
  if (entry === null || worktree === null || existsSync(worktree)) return repo
  const link = readPlainText(join(entry, "gitdir"))?.trimEnd()
  const moved = link && dirname(resolve(entry, link))
  if (!moved || moved === worktree || !isRootOf(moved, entry)) return repo
  recordMoved(db, { task: id, name, worktree: moved })
  return { ...repo, worktree: moved }
}
