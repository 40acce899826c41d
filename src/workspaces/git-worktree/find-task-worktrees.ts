/** Finds the worktrees that set-ups of a task made, including unrecorded ones. */
import { existsSync } from "node:fs"
import type { TaskId } from "../../core/ids.ts"
import { listLinked } from "../../git/ask/linked-worktrees.ts"
import { listOwnWorktrees } from "../../store/worktrees.ts"
import type { FoundWorkspace } from "../workspace.ts"
import { readRepository, type WorktreeContext } from "./context.ts"

export async function findTaskWorktrees(
  { db }: WorktreeContext,
  repo: string,
  task: TaskId,
): Promise<FoundWorkspace[]> {
  const { root, commonDir } = await readRepository(repo)
  const known = new Set(listLinked(commonDir).map(({ path }) => path))
  const own = listOwnWorktrees(db, root).filter(
    (one) => one.purpose === "task" && one.task === task,
  )
  return own
    .filter(({ path }) => known.has(path) || existsSync(path))
    .map(({ path, branch }) => ({ worktree: path, branch: branch ?? undefined }))
}
