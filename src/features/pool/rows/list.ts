/** The worktrees of pools as stored, and the ways to find them. */
import type { Oid, TaskId } from "../../../base/ids.ts"
import type { Db } from "../../../kernel/store/open.ts"
import { sql } from "../../../kernel/store/sql.ts"

/** The worktrees folder of a repository: its pool. */
export type PoolKey = {
  /** The repository's main worktree, or bare directory. */
  readonly repo: string
  /** Real path. */
  readonly folder: string
}

export type PoolEntry = PoolKey & {
  /** Where the worktree is, or will be: absolute. */
  readonly path: string
  /**
   * `filling`: not fit for a task; it is being made, brought up to date or removed. `abandoned`: its
   * task is over without it, and it is being removed.
   */
  readonly state: "filling" | "ready" | "claimed" | "abandoned"
  /** The commit that its files come from; null: it was never filled. */
  readonly base: Oid | null
  /** The task that claimed it, until the worktree is the task's own and the entry goes. */
  readonly task: TaskId | null
  readonly since: number
}

export const COLUMNS = "path, repo, folder, state, base, task, since"

export function findPoolEntry(db: Db, path: string): PoolEntry | undefined {
  const found = sql(db, `select ${COLUMNS} from pool_entries where path = :path`).find({ path })
  return found as PoolEntry | undefined
}

const LIST = `select ${COLUMNS} from pool_entries order by repo, folder, path`
const LIST_OF = `
  select ${COLUMNS} from pool_entries where repo = :repo and folder = :folder order by path`

/** Lists the worktrees of all pools of the home, ready or not. */
export function listPool(db: Db): PoolEntry[] {
  return sql(db, LIST).list() as PoolEntry[]
}

/** Lists the worktrees of the pool in one worktrees folder of a repository. */
export function listPoolOf(db: Db, { repo, folder }: PoolKey): PoolEntry[] {
  return sql(db, LIST_OF).list({ repo, folder }) as PoolEntry[]
}

const USE = `
  select count(*) as worktrees, coalesce(sum(bytes), 0) as bytes
  from pool_entries where state = 'ready'`

/** `bytes`: as last measured; 0 if never measured. */
export type PoolUse = { readonly worktrees: number; readonly bytes: number }

/** Sums up the worktrees that wait for a task, and their disk usage. */
export function poolUse(db: Db): PoolUse {
  return sql(db, USE).find() as PoolUse
}
