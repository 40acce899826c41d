/** Lists the worktrees of a repository that this home has made. */
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"
import type { OwnWorktree } from "./row.ts"

const LIST =
  "select path, repo, purpose, task, branch from worktrees where repo = :repo order by path"

/** @param repo main worktree, or bare directory. */
export function listOwnWorktrees(db: Db, repo: string): OwnWorktree[] {
  return sql(db, LIST).list({ repo }) as OwnWorktree[]
}
