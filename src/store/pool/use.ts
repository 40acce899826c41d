/** Sums up the worktrees that wait for a task, and their disk usage. */
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"

const USE = `
  select count(*) as worktrees, coalesce(sum(bytes), 0) as bytes
  from pool_entries where state = 'ready'`

/** `bytes`: as last measured; 0 if never measured. */
export type PoolUse = { readonly worktrees: number; readonly bytes: number }

export function poolUse(db: Db): PoolUse {
  return sql(db, USE).find() as PoolUse
}
