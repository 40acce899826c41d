/** Adds an entry to a pool: from then on its path is nobody else's. */
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"
import type { PoolEntry } from "./row.ts"

const ADD = `
  insert into pool_entries (path, repo, folder, state, base, task, since)
  values (:path, :repo, :folder, :state, null, :task, :since)
  on conflict (path) do nothing`

/** @returns false when the path is another entry's. */
export function addPoolEntry(db: Db, entry: Omit<PoolEntry, "base">): boolean {
  const { path, repo, folder, state, task, since } = entry
  return sql(db, ADD).run({ path, repo, folder, state, task, since }) === 1
}
