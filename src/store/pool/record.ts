/** Changes the state of a pool's entry, unless it has changed already. */
import type { Db } from "../open.ts"
import { sql, transaction } from "../sql.ts"
import type { PoolEntry } from "./row.ts"

const RECORD = `
  update pool_entries set state = :state, base = :base, task = :task, since = :nowMs
  where path = :path and state = :was`

const LEAVE = "update worktrees set task = null, branch = null where path = :path"

export type PoolChange = Partial<Pick<PoolEntry, "state" | "base" | "task">>

/** @returns the new entry; undefined if it is no longer in the old state. */
export function recordPoolEntry(
  db: Db,
  entry: PoolEntry,
  change: PoolChange,
  nowMs: number,
): PoolEntry | undefined {
  const { path, state: was } = entry
  const { state, base, task } = { ...entry, ...change }
  return transaction(db, () => {
    const changed = sql(db, RECORD).run({ path, was, state, base, task, nowMs })
    if (changed === 1 && task === null) sql(db, LEAVE).run({ path })
    return changed === 1 ? { ...entry, ...change, since: nowMs } : undefined
  })
}
