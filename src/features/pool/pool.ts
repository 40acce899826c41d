/**
 * A pool keeps worktrees ready, so that a task gets one without a checkout and without an install.
 *
 *            add                 claim            recorded
 *   nothing ────► filling ────► ready ────► claimed ────► the task's own
 *                    ▲            │            │
 *                    └────────────┘            └────► abandoned ────► nothing
 *                 the target has moved          its task is over
 *
 * A worktree is made for one task: when that task is over, it goes like any other. So nothing that a
 * task leaves ever reaches another task. A worktree keeps its path, since virtual environments and
 * build caches hold it. Its row is the right to it, and a `filling` one is never handed out: if an
 * earlier process left a row in that state, it is dropped with its worktree. A person's files in a
 * waiting worktree are saved and removed before the agent starts (stray-files.ts).
 *
 * @see docs/adr/0052-a-pool-makes-worktrees-and-recycles-none.md
 */

import type { Oid } from "../../base/ids.ts"
import type { RepoConfig } from "../../config/config.ts"
import type { Db } from "../../kernel/store/open.ts"
import type { PoolKeeper } from "./pool-keeper.ts"
import type { PoolKey } from "./rows/list.ts"

/** A configured pool: one worktrees folder of a repository. */
export type PoolPlace = PoolKey & {
  /** Branch name of the target; undefined when the pool is no longer configured. */
  readonly target: string | undefined
  /** How many worktrees wait for a task. */
  readonly ahead: number
  /** How a worktree is set up: see {@link RepoConfig}. */
  readonly setup: RepoConfig["setup"]
  /** The environment of that set-up. */
  readonly env: Readonly<Record<string, string>>
}

/** A worktree that a pool makes, and its commit. */
export type PoolWorktree = {
  readonly place: PoolPlace
  readonly worktree: string
  readonly base: Oid
  readonly signal: AbortSignal
}

/** The parts of a home's pools. */
export type PoolParts = {
  /** The home's permanent name. */
  readonly home: string
  readonly db: Db
  nowMs(): number
  /** The pools of the current configuration. */
  listPlaces(): Promise<readonly PoolPlace[]>
  /**
   * Runs the repository's set-up, unless it needs a task. A set-up that fails runs again for the
   * task.
   */
  setUp(made: PoolWorktree): Promise<void>
  /** Called with errors that no task waits for. */
  onError(error: unknown): void
}

export type Pool = PoolParts & { readonly keeper: PoolKeeper }
