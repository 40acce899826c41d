/** Records the workspace of a task in one of its repositories. */
import { assert } from "../../core/assert.ts"
import type { Oid } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"
import type { TaskRepoKey } from "./key.ts"

export type RecordedWorkspace = TaskRepoKey & {
  /** A branch of ours: see record-made.ts. */
  readonly branch: string
  readonly worktree: string
  /** Git's own folder of it. */
  readonly entry?: string | undefined
  readonly base: Oid
  readonly placed: readonly string[]
}

const RECORD = `
  update task_repos
  set branch = :branch, made_branch = :branch, made_at = coalesce(made_at, :base),
    worktree = :worktree, entry = :entry, base = :base, placed = :placed
  where task = :task and name = :name`

export function recordWorkspace(db: Db, workspace: RecordedWorkspace): void {
  const { task, name, branch, worktree, entry = null, base } = workspace
  const placed = JSON.stringify(workspace.placed)
  const changed = sql(db, RECORD).run({ task, name, branch, worktree, entry, base, placed })
  assert(changed === 1, "a workspace belongs to a repository of its task")
}
