/**
 * Brings a pool to its configuration: drops useless entries, moves the others to the target, and
 * adds missing ones.
 *
 * Each step moves one row, and only out of the state that it was read in, so that a claim by a task
 * wins.
 */

import { existsSync } from "node:fs"
import type { Oid } from "../../base/ids.ts"
import type { Repository } from "../../kernel/git/ask/repository.ts"
import { holdPipe } from "../../kernel/process/disk.ts"
import { readFreshBase } from "../../kernel/workspaces/git-worktree/fresh-base.ts"
import {
  readRepository,
  type WorktreeContext,
} from "../../kernel/workspaces/git-worktree/worktree-context.ts"
import { clearDeadLocks } from "../../kernel/workspaces/locks/dead-locks.ts"
import { addEntry, setUpEntry } from "./add-entry.ts"
import { dropEntry } from "./drop-entry.ts"
import { inspectEntry } from "./inspect-entry.ts"
import { moveEntry } from "./move-entry.ts"
import type { Pool, PoolPlace } from "./pool.ts"
import { listPool, listPoolOf, type PoolEntry, type PoolKey } from "./rows/list.ts"
import { abandonClaims, recordPoolEntry, removePoolEntry } from "./rows/record.ts"
import { findStrays } from "./stray-files.ts"

/** Tends every pool of a home, including those that are no longer configured. */
export async function tendPools(context: WorktreeContext, pool: Pool): Promise<void> {
  const places = await pool.listPlaces()
  const all = [...places, ...listFormer(pool, places)]
  // Skip a missing repository: its disk may not be mounted.
  for (const place of all.filter(({ repo }) => existsSync(repo)))
    pool.keeper.ask(place.repo, place.folder, () => tendPlace(context, pool, place))
}

/** Pools with entries that are no longer configured. */
function listFormer({ db }: Pool, places: readonly PoolPlace[]): PoolPlace[] {
  const isWanted = ({ repo, folder }: PoolKey) =>
    places.some((place) => place.repo === repo && place.folder === folder)
  const former = listPool(db).filter((entry) => !isWanted(entry))
  const keys = new Map(former.map(({ repo, folder }) => [`${repo}\0${folder}`, { repo, folder }]))
  const nothing = { target: undefined, ahead: 0, setup: undefined, env: {} } as const
  return [...keys.values()].map((key) => ({ ...key, ...nothing }))
}

type Tending = {
  readonly context: WorktreeContext
  readonly pool: Pool
  readonly place: PoolPlace
  readonly repository: Repository
}

async function tendPlace(context: WorktreeContext, pool: Pool, place: PoolPlace): Promise<void> {
  const tending = { context, pool, place, repository: await readRepository(place.repo) }
  const { closing } = pool.keeper
  abandonClaims(pool.db, place, pool.nowMs())
  const useless = ({ state }: PoolEntry) => state === "filling" || state === "abandoned"
  for (const entry of listPoolOf(pool.db, place).filter(useless)) {
    if (closing.aborted) return
    await dropEntry(context, pool, { ...tending, entry })
  }
  const base = await readTarget(tending)
  let ready = 0
  for (const entry of listPoolOf(pool.db, place)) {
    if (closing.aborted) return
    if (entry.state !== "ready") continue
    const isWanted = base !== undefined && ready < place.ahead
    if (await settleEntry(tending, entry, isWanted ? base : undefined)) ready++
    pool.keeper.stepped(place.repo)
  }
  for (; base && ready < place.ahead && !closing.aborted; ready++)
    await addEntry(pool, { repository: tending.repository, place, base })
}

/** The commit that new work starts from; undefined if no entry is wanted. */
async function readTarget({ pool, place, repository }: Tending): Promise<Oid | undefined> {
  if (place.target === undefined || place.ahead === 0) return undefined
  const asKnown = { target: place.target, fetch: false, signal: pool.keeper.closing }
  return (await readFreshBase(repository, asKnown)).commit
}

/**
 * Keeps a ready entry, moves it to `base`, leaves it to a person who works there, or drops it. While
 * a git works there, the entry stays as it is.
 *
 * @param base the commit that new work starts from; undefined: the entry is not wanted.
 * @returns whether it counts as ready.
 */
async function settleEntry(
  tending: Tending,
  ready: PoolEntry,
  base: Oid | undefined,
): Promise<boolean> {
  const { context, pool, place, repository } = tending
  const { path } = ready
  let found = await inspectEntry(repository, ready)
  if (found?.state === "locked") {
    await clearDeadLocks(repository.root)
    found = await inspectEntry(repository, ready)
  }
  const isIdle = found?.state === "idle"
  const isAtOwnBase = found?.head?.kind === "detached" && found.head.commit === ready.base
  const isUsable = isIdle && !(await holdPipe(path))
  if (isUsable && isAtOwnBase && ready.base === base) return true
  if (found?.state === "locked") return base !== undefined // a git works there
  const entry = recordPoolEntry(pool.db, ready, { state: "filling" }, pool.nowMs())
  if (!entry) return false
  const isTheirs = found && (found.state === "theirs" || (isIdle && !isAtOwnBase))
  // A person who has begun to work there keeps the worktree.
  if (isTheirs || (isIdle && (await findStrays(path)).paths.length > 0)) {
    removePoolEntry(pool.db, path)
    return false
  }
  const from = ready.base
  if (isUsable && from && base && (await moveEntry(path, { from, to: base }))) {
    await setUpEntry(pool, { entry, place, base })
    return true
  }
  await dropEntry(context, pool, { repository, entry })
  return false
}
