/** Finds the record of the worktree at a path; there is one only if this home made it. */
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"
import type { OwnWorktree } from "./row.ts"

const FIND = "select path, repo, purpose, task, branch from worktrees where path = :path"

export function findOwnWorktree(db: Db, path: string): OwnWorktree | undefined {
  return sql(db, FIND).find({ path }) as OwnWorktree | undefined
}
