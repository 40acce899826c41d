/** Forgets an entry of a pool. The worktree is gone by then, or is no longer the pool's. */
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"

export function removePoolEntry(db: Db, path: string): void {
  sql(db, "delete from pool_entries where path = :path").run({ path })
}
