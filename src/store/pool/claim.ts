/** Claims a worktree of a pool for a task: the row is the claim. */
import type { Oid, TaskId } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { sql, transaction } from "../sql.ts"
import { COLUMNS, type PoolEntry, type PoolKey } from "./row.ts"

export type Claim = PoolKey & {
  readonly task: TaskId
  /** The commit that work starts from; prefers a worktree at this commit. */
  readonly base: Oid
}

/** An entry from a set-up that was interrupted before it was recorded. */
const FIND_OWN = `
  select ${COLUMNS} from pool_entries
  where repo = :repo and folder = :folder and state = 'claimed' and task = :task
    and path not in (select worktree from task_repos where worktree is not null)
  order by path limit 1`

const CLAIM = `
  update pool_entries set state = 'claimed', task = :task, since = :nowMs
  where path = (
    select path from pool_entries where repo = :repo and folder = :folder and state = 'ready'
    order by base = :base desc, since desc, path limit 1)
  returning ${COLUMNS}`

const OWN = "update worktrees set task = :task, branch = null where path = :path"

/** @returns the task's earlier entry, if any; undefined if none is ready. */
export function claimPoolEntry(
  db: Db,
  { repo, folder, task, base }: Claim,
  nowMs: number,
): PoolEntry | undefined {
  return transaction(db, () => {
    const own = sql(db, FIND_OWN).find({ repo, folder, task })
    if (own) return own as PoolEntry
    const claimed = sql(db, CLAIM).find({ repo, folder, task, base, nowMs }) as
      | PoolEntry
      | undefined
    if (claimed) sql(db, OWN).run({ task, path: claimed.path })
    return claimed
  })
}
