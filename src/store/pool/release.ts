/** Takes a worktree of a pool from the tasks that had it: in one transaction, so that none comes back to it. */
import type { Db } from "../open.ts"
import { sql, transaction } from "../sql.ts"
import type { TaskRepoKey } from "../task-repos/key.ts"
import { recordRemoved } from "../task-repos/record-removed.ts"
import { type PoolChange, recordPoolEntry } from "./record.ts"
import type { PoolEntry } from "./row.ts"

const LIST = "select task, name from task_repos where worktree = :path"
const NOBODYS: PoolChange = { state: "filling", task: null, used: 1 }

/** What the worktree holds is saved by now: whoever finds it filling may clean it. */
export function releasePoolEntry(db: Db, entry: PoolEntry, nowMs: number): PoolEntry | undefined {
  return transaction(db, () => {
    const released = recordPoolEntry(db, entry, NOBODYS, nowMs)
    const owners = released ? sql(db, LIST).list({ path: entry.path }) : []
    for (const owner of owners) recordRemoved(db, owner as unknown as TaskRepoKey)
    return released
  })
}
