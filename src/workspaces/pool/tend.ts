/**
 * Brings a pool to what is configured: cleans what tasks have left, makes what is missing, brings
 * the rest to where the target is, and removes what is too much.
 *
 * Each step moves one row, and only out of the state that it was read in: a task that claims
 * meanwhile is faster, and then there is less to do.
 */
import type { Oid } from "../../core/ids.ts"
import { disableSparse } from "../../git/index/sparse.ts"
import type { Repository } from "../../git/repository/repository.ts"
import { listChanges } from "../../git/trees/diff-tree.ts"
import { listPoolOf } from "../../store/pool/list.ts"
import { listAbandoned } from "../../store/pool/list-abandoned.ts"
import { recordPoolEntry } from "../../store/pool/record.ts"
import type { PoolEntry } from "../../store/pool/row.ts"
import { readRepository, type WorktreeContext } from "../git-worktree/context.ts"
import { readFreshBase } from "../git-worktree/fresh-base.ts"
import { withRepoLock } from "../locks/repo-lock.ts"
import { readProjectAt } from "../project-at.ts"
import { dependencyFolders } from "../setup/dependency-folders.ts"
import { addEntry } from "./add-entry.ts"
import { bringUp } from "./bring-up.ts"
import { type FoundEntry, findEntry } from "./entry.ts"
import { forgetPath } from "./forget-path.ts"
import type { Pool, PoolPlace } from "./pool.ts"
import { removeEntry } from "./remove-entry.ts"
import { saveTouched } from "./save-touched.ts"
import { scrub } from "./scrub.ts"
import { findUnused } from "./unused.ts"

const ATTRIBUTES = [":(glob)**/.gitattributes"]

type Tending = {
  readonly context: WorktreeContext
  readonly pool: Pool
  readonly place: PoolPlace
  readonly repository: Repository
}

export async function tendPlace(
  context: WorktreeContext,
  pool: Pool,
  place: PoolPlace,
): Promise<void> {
  const tending = { context, pool, place, repository: await readRepository(place.repo) }
  await mendAbandoned(tending)
  await saveInherited(tending)
  await removeSurplus(tending)
  if (place.target === undefined || place.size === 0) return
  const asKnown = { target: place.target, fetch: false, signal: pool.keeper.closing }
  const { commit: base } = await readFreshBase(tending.repository, asKnown)
  for (const entry of idleOf(tending)) {
    if (pool.keeper.closing.aborted) return
    if (entry.state === "filling") await recycle(tending, entry, base)
    else if (entry.base !== base) await refresh(tending, entry, base)
    pool.keeper.stepped(place.repo)
  }
  for (let n = readyOf(tending); n < place.ahead && !pool.keeper.closing.aborted; n++)
    await addEntry(context, pool, { repository: tending.repository, folder: place.folder, base })
}

/** Best first: what was installed in them counts more than that they are ready. */
function idleOf({ pool, place }: Tending): PoolEntry[] {
  const idle = listPoolOf(pool.db, place).filter(({ state }) => state !== "claimed")
  const worth = ({ used, state }: PoolEntry) => 2 * used + (state === "ready" ? 1 : 0)
  return idle.sort((one, other) => worth(other) - worth(one))
}

const readyOf = (tending: Tending): number =>
  idleOf(tending).filter(({ state }) => state === "ready").length

/**
 * A claim that came to nothing left the worktree as it was; any other that is no task's any more
 * may hold work, and is from then on a worktree like any other that nobody has on record.
 */
async function mendAbandoned({ context, pool, place, repository }: Tending): Promise<void> {
  for (const entry of listAbandoned(pool.db, place)) {
    const found = findEntry(repository, entry)
    const isUntouched = found?.owner?.home === context.home && found.owner.task === null
    if (isUntouched && (await saveTouched(context, pool, repository, entry)))
      recordPoolEntry(pool.db, entry, { state: "filling", task: null }, pool.nowMs())
    else forgetPath(pool.db, entry.path)
  }
}

/** Of an earlier process: somebody may have worked there since it ended. */
async function saveInherited({ context, pool, place, repository }: Tending): Promise<void> {
  const filling = listPoolOf(pool.db, place).filter(({ state }) => state === "filling")
  for (const entry of filling)
    if (!(await saveTouched(context, pool, repository, entry))) forgetPath(pool.db, entry.path)
}

async function removeSurplus(tending: Tending): Promise<void> {
  const { context, pool, place, repository } = tending
  for (const entry of idleOf(tending).slice(place.size)) {
    if (pool.keeper.closing.aborted) return
    const taken = entry.state === "ready" ? (await takeOut(tending, entry))?.entry : entry
    if (taken) await removeEntry(context, pool, repository, taken)
  }
}

/**
 * From then on no task can claim it, and nothing in it is anybody's.
 *
 * @returns undefined when a task was faster, or somebody works there.
 */
async function takeOut(
  { context, pool, repository }: Tending,
  entry: PoolEntry,
): Promise<{ readonly entry: PoolEntry; readonly found: FoundEntry } | undefined> {
  const { db, nowMs } = pool
  const found = await findUnused(repository, context.home, entry)
  const taken = recordPoolEntry(db, entry, { state: "filling", task: null }, nowMs())
  if (taken && !found) forgetPath(db, entry.path)
  return taken && found && { entry: taken, found }
}

async function refresh(tending: Tending, ready: PoolEntry, base: Oid): Promise<void> {
  const { pool } = tending
  const taken = await takeOut(tending, ready)
  if (!taken || taken.entry.base === null) return
  const { entry, found } = taken
  const { path: worktree } = entry
  const from = taken.entry.base
  if (await bringUp({ worktree, dir: found.dir, from, to: base }))
    recordPoolEntry(pool.db, entry, { state: "ready", base }, pool.nowMs())
  else await recycle(tending, entry, base)
}

/** Makes ready again what a task has left, or what was cut off; what cannot be is removed. */
async function recycle(tending: Tending, entry: PoolEntry, base: Oid): Promise<void> {
  const { context, pool, repository } = tending
  if (await isClean(tending, entry, base).catch(pool.onError))
    recordPoolEntry(pool.db, entry, { state: "ready", base }, pool.nowMs())
  else await removeEntry(context, pool, repository, entry)
}

async function isClean(tending: Tending, entry: PoolEntry, base: Oid): Promise<boolean> {
  const { context, place, repository } = tending
  const found = findEntry(repository, entry)
  // What was never full is quicker made than mended, and what is not marked is not ours.
  if (!found || entry.base === null || found.owner?.home !== context.home) return false
  if (found.owner.task !== null) return false
  // Git compares what files say by these rules, and would not write them as the new ones say.
  if ((await listChanges(place.repo, entry.base, base, ATTRIBUTES)).length > 0) return false
  const keep = place.keep ?? dependencyFolders(await readProjectAt(place.repo, base))
  const worktree = entry.path
  const isScrubbed = await scrub({ worktree, dir: found.dir, to: base, keep })
  if (isScrubbed) await withRepoLock(repository.commonDir, () => disableSparse(worktree))
  return isScrubbed
}
