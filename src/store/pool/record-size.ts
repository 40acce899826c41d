/** Records the disk usage of a pool's worktree, as measured when it was ready. */
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"

const RECORD = "update pool_entries set bytes = :bytes where path = :path"

export function recordPoolSize(
  db: Db,
  size: { readonly path: string; readonly bytes: number },
): void {
  sql(db, RECORD).run(size)
}
