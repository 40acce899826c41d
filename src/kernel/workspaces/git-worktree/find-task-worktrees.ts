/** Finds the existing worktrees made for a task, including those its task row does not name yet. */
import { existsSync } from "node:fs"
import type { TaskId } from "../../../base/ids.ts"
import { listLinked } from "../../git/ask/linked-worktrees.ts"
import type { Repository } from "../../git/ask/repository.ts"
import type { Db } from "../../store/open.ts"
import { listOwnWorktrees } from "../rows/worktrees.ts"
import type { FoundWorkspace } from "../workspace.ts"

export function findTaskWorktrees(
  db: Db,
  { root, commonDir }: Repository,
  task: TaskId,
): FoundWorkspace[] {
  const own = listOwnWorktrees(db, root).filter(
    (one) => one.purpose === "task" && one.task === task,
  )
  if (own.length === 0) return [] // a new task: reading the entries of hundreds of worktrees takes long
  const known = new Set(listLinked(commonDir).map(({ path }) => path))
  return own
    .filter(({ path }) => known.has(path) || existsSync(path))
    .map(({ path, branch }) => ({ worktree: path, branch: branch ?? undefined }))
}
