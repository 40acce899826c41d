/** Forgets a removed worktree's folder: its files are deleted. */
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"

const REMOVE = "delete from trash where path = :path"

export function removeTrash(db: Db, path: string): void {
  sql(db, REMOVE).run({ path })
}
