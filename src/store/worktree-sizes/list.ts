/** Lists how much room worktrees took when they were last measured. */
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"
import type { WorktreeSize } from "./record.ts"

const LIST = "select path, bytes, at as atMs from worktree_sizes"

export function listWorktreeSizes(db: Db): WorktreeSize[] {
  return sql(db, LIST).list() as WorktreeSize[]
}
