/** Adds, claims, changes and forgets the worktrees of pools. */
import type { Oid, TaskId } from "../../../base/ids.ts"
import type { Db } from "../../../kernel/store/open.ts"
import { sql, transaction } from "../../../kernel/store/sql.ts"
import { IS_OVER } from "../../../kernel/tasks/rows/list-due.ts"
import { recordWorktree } from "../../../kernel/workspaces/rows/worktrees.ts"
import { COLUMNS, type PoolEntry, type PoolKey } from "./list.ts"

const ADD = `
  insert into pool_entries (path, repo, folder, state, base, task, since)
  values (:path, :repo, :folder, :state, null, :task, :since)
  on conflict (path) do nothing`

/**
 * Adds an entry to a pool: from then on its path is this home's, and no other entry's.
 *
 * @returns false when the path is another entry's.
 */
export function addPoolEntry(db: Db, entry: Omit<PoolEntry, "base">): boolean {
  const { path, repo, folder, state, task, since } = entry
  return transaction(db, () => {
    if (sql(db, ADD).run({ path, repo, folder, state, task, since }) !== 1) return false
    recordWorktree(db, { path, repo, purpose: "task", task, branch: null })
    return true
  })
}

export type PoolClaim = PoolKey & {
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

const SET_TASK = "update worktrees set task = :task, branch = null where path = :path"

/** @returns the task's earlier entry, if any; undefined if none is ready. */
export function claimPoolEntry(
  db: Db,
  { repo, folder, task, base }: PoolClaim,
  nowMs: number,
): PoolEntry | undefined {
  return transaction(db, () => {
    const own = sql(db, FIND_OWN).find({ repo, folder, task })
    if (own) return own as PoolEntry
    const claimed = sql(db, CLAIM).find({ repo, folder, task, base, nowMs }) as
      | PoolEntry
      | undefined
    if (claimed) sql(db, SET_TASK).run({ task, path: claimed.path })
    return claimed
  })
}

const RECORD = `
  update pool_entries set state = :state, base = :base, task = :task, since = :nowMs
  where path = :path and state = :was`

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
    if (changed === 1 && task === null) sql(db, SET_TASK).run({ task, path })
    return changed === 1 ? { ...entry, ...change, since: nowMs } : undefined
  })
}

/** A task that is not over may be about to record its worktree, or to clean it up. */
const LIST_LEFT = `
  select ${COLUMNS} from pool_entries
  where repo = :repo and folder = :folder and state = 'claimed'
    and path not in (select worktree from task_repos where worktree is not null)
    and not exists (
      select 1 from tasks
      where tasks.id = pool_entries.task and not (deletion is null and ${IS_OVER}))`

/** Takes the claimed entries of tasks that are over or gone, so that only the pool removes them. */
export function abandonClaims(db: Db, { repo, folder }: PoolKey, nowMs: number): void {
  const left = sql(db, LIST_LEFT).list({ repo, folder }) as PoolEntry[]
  for (const entry of left) recordPoolEntry(db, entry, { state: "abandoned", task: null }, nowMs)
}

const RECORD_SIZE = "update pool_entries set bytes = :bytes where path = :path"

/** Records the disk usage of a pool's worktree, as measured when it was ready. */
export function recordPoolSize(
  db: Db,
  size: { readonly path: string; readonly bytes: number },
): void {
  sql(db, RECORD_SIZE).run(size)
}

/** Forgets an entry of a pool. The worktree is gone by then, or is no longer the pool's. */
export function removePoolEntry(db: Db, path: string): void {
  sql(db, "delete from pool_entries where path = :path").run({ path })
}
