/** Removed worktrees that are being deleted. */
import type { Db } from "../../store/open.ts"
import { sql } from "../../store/sql.ts"

const ADD = "insert into trash (path, repo) values (:path, :repo)"

/** Records the new name of a removed worktree's folder before the folder is renamed. */
export function addTrash(db: Db, trash: { readonly path: string; readonly repo: string }): void {
  sql(db, ADD).run(trash)
}

const LIST = "select path from trash where repo = coalesce(:repo, repo) order by path"

/**
 * Lists the folders of removed worktrees whose files may still exist.
 *
 * @param repo main worktree, or bare directory. Default: those of all repositories.
 */
export function listTrash(db: Db, repo?: string): string[] {
  return sql(db, LIST)
    .list({ repo: repo ?? null })
    .map(({ path }) => path as string)
}

const REMOVE = "delete from trash where path = :path"

/** Forgets a removed worktree's folder: its files are deleted. */
export function removeTrash(db: Db, path: string): void {
  sql(db, REMOVE).run({ path })
}
