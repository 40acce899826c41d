/** Forgets how much room a worktree took: it is gone, or was found to be. */
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"

const FORGET = "delete from worktree_sizes where path = :path"

export function forgetWorktreeSize(db: Db, path: string): void {
  sql(db, FORGET).run({ path })
}
