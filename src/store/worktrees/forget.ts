/** Deletes the record of a worktree that is gone, or that a person keeps. Coppice never removes it then. */
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"

const FORGET = "delete from worktrees where path = :path"

export function forgetWorktree(db: Db, path: string): void {
  sql(db, FORGET).run({ path })
}
