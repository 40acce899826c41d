/** Records the new name of a removed worktree's folder before the folder is renamed. */
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"

const ADD = "insert into trash (path, repo) values (:path, :repo)"

export function addTrash(db: Db, trash: { readonly path: string; readonly repo: string }): void {
  sql(db, ADD).run(trash)
}
