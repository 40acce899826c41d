/** Lists the folders of removed worktrees whose files may still exist. */
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"

const LIST = "select path from trash where repo = :repo order by path"

/** @param repo main worktree, or bare directory. */
export function listTrash(db: Db, repo: string): string[] {
  return sql(db, LIST)
    .list({ repo })
    .map(({ path }) => path as string)
}
