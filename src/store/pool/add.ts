/** Adds an entry to a pool: from then on its path is this home's, and no other entry's. */
import type { Db } from "../open.ts"
import { sql, transaction } from "../sql.ts"
import { recordWorktree } from "../worktrees/record.ts"
import type { PoolEntry } from "./row.ts"

const ADD = `
  insert into pool_entries (path, repo, folder, state, base, task, since)
  values (:path, :repo, :folder, :state, null, :task, :since)
  on conflict (path) do nothing`

/** @returns false when the path is another entry's. */
export function addPoolEntry(db: Db, entry: Omit<PoolEntry, "base">): boolean {
  const { path, repo, folder, state, task, since } = entry
  return transaction(db, () => {
    if (sql(db, ADD).run({ path, repo, folder, state, task, since }) !== 1) return false
    recordWorktree(db, { path, repo, purpose: "task", task, branch: null })
    return true
  })
}
