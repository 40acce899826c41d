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
  /** Where the worktree is, or will be: absolute. */
  readonly path: string
  /** `filling`: not fit for a task; it is being made, brought up to date or removed. */
  readonly state: "filling" | "ready" | "claimed"
  /** The commit that its files come from; null: it was never filled. */
  readonly base: Oid | null
  /** The task that claimed it, until the worktree is the task's own and the entry goes. */
  readonly task: TaskId | null
  readonly since: number
}

export const COLUMNS = "path, repo, folder, state, base, task, since"
