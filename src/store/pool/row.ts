/** A worktree of a pool as stored. */
import type { Oid, TaskId } from "../../core/ids.ts"

/** The worktrees folder of a repository: its pool. */
export type PoolKey = {
  /** The repository's main worktree, or bare directory. */
  readonly repo: string
  /** Real path. */
  readonly folder: string
}

export type PoolEntry = PoolKey & {
  /** Where the worktree is, or is to be: absolute. */
  readonly path: string
  /** `filling`: nobody's, and not fit for a task: it is being made, recycled or removed. */
  readonly state: "filling" | "ready" | "claimed"
  /** The commit that its files are of; of a claimed one, that they were of. Null: they never were. */
  readonly base: Oid | null
  /** Whoever claimed it; it may have passed the worktree on since. */
  readonly task: TaskId | null
  /** A task has had it, and what it installed may be there. */
  readonly used: 0 | 1
  readonly since: number
}

export const COLUMNS = "path, repo, folder, state, base, task, used, since"
