/** Records that a worktree is this home's, before it is made. */
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"
import type { OwnWorktree } from "./row.ts"

const RECORD = `
  insert into worktrees (path, repo, purpose, task, branch)
  values (:path, :repo, :purpose, :task, :branch)
  on conflict (path) do update set repo = :repo, purpose = :purpose, task = :task, branch = :branch`

/** Replaces an earlier record of the path. */
export function recordWorktree(db: Db, worktree: OwnWorktree): void {
  const { path, repo, purpose, task, branch } = worktree
  sql(db, RECORD).run({ path, repo, purpose, task, branch })
}
