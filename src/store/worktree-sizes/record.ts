/** Remembers how much room a worktree takes. */
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"

export type WorktreeSize = {
  /** Absolute. */
  readonly path: string
  readonly bytes: number
  /** When it was measured. */
  readonly atMs: number
}

const RECORD = `
  insert into worktree_sizes (path, bytes, at) values (:path, :bytes, :atMs)
  on conflict (path) do update set bytes = :bytes, at = :atMs`

export function recordWorktreeSize(db: Db, { path, bytes, atMs }: WorktreeSize): void {
  sql(db, RECORD).run({ path, bytes, atMs })
}
