/**
 * A pool keeps worktrees ready, so that a task gets one without a checkout.
 *
 *            add                 claim                 release
 *   nothing ────► filling ────► ready ────► claimed ────────────► filling ──► ready, or removed
 *
 * An entry has one path for good: virtual environments and build caches hold it, so a task works
 * there and not elsewhere. Its row is the right to it, the file of ownership.ts in the worktree
 * agrees with the row before anybody works there, and what is `filling` is never handed out: after
 * a crash it is cleaned again from the start. Tasks claim at once; making, refreshing, recycling
 * and removing is done behind, one after another for each repository (keeper.ts).
 *
 * @see docs/adr/0024-worktrees-are-recycled.md
 */
import type { RepoConfig } from "../../core/config.ts"
import type { Db } from "../../store/open.ts"
import type { PoolKey } from "../../store/pool/row.ts"
import type { PoolKeeper } from "./keeper.ts"

/** A pool as it is configured: of one worktrees folder of a repository. */
export type PoolPlace = PoolKey & {
  /** Branch name of the target; undefined where nothing is wanted there any more. */
  readonly target: string | undefined
  /** Idle worktrees at most. */
  readonly size: number
  /** Idle worktrees at least. */
  readonly ahead: number
  /** Ignored folders that stay; undefined: those of the packages that the lockfile names. */
  readonly keep: readonly string[] | undefined
  /** How a worktree is set up: see {@link RepoConfig}. */
  readonly setup: RepoConfig["setup"]
}

/** What a strategy with pools is given. */
export type PoolParts = {
  readonly db: Db
  nowMs(): number
  /** The pools as they are configured now. */
  listPlaces(): Promise<readonly PoolPlace[]>
  /** Told of what failed behind, where nobody waits for it. */
  onError(error: unknown): void
}

export type Pool = PoolParts & {
  readonly keeper: PoolKeeper
  /** When this process began with it: an entry that is as it was before may have been touched. */
  readonly openedAtMs: number
}
