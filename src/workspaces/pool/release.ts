/**
 * Gives a task's worktree back to its pool, once all that it holds is saved.
 *
 *   taken off its branch ► branch deleted ► mark ► row, and nobody's ► cleaned behind
 *
 * The row and what the task has on record change in one transaction, and last: until then a
 * repeated tear-down finds the worktree to be the task's still, and afterwards it is nobody's.
 */
import { rm } from "node:fs/promises"
import { dirname, join } from "node:path"
import { assert } from "../../core/assert.ts"
import type { Oid } from "../../core/ids.ts"
import { readHead } from "../../git/refs/head.ts"
import { writeHead } from "../../git/refs/write-head.ts"
import type { Repository } from "../../git/repository/repository.ts"
import { findPoolEntry } from "../../store/pool/find.ts"
import { listPoolOf } from "../../store/pool/list.ts"
import { releasePoolEntry } from "../../store/pool/release.ts"
import { removePoolEntry } from "../../store/pool/remove.ts"
import type { PoolEntry } from "../../store/pool/row.ts"
import type { WorktreeContext } from "../git-worktree/context.ts"
import { recordOwner } from "../git-worktree/ownership.ts"
import { readSetupInputs } from "../setup/setup-inputs.ts"
import { forgetSetUp, isSetUp } from "../setup/setup-record.ts"
import type { WorkspaceToRemove } from "../workspace.ts"
import { findEntry } from "./entry.ts"
import type { Pool, PoolPlace } from "./pool.ts"
import { removePlaced } from "./remove-placed.ts"
import { tendPlace } from "./tend.ts"

export type Reusable = {
  readonly pool: Pool
  readonly place: PoolPlace
  readonly entry: PoolEntry
  readonly base: Oid
  /** Its own git directory. */
  readonly dir: string
  readonly workspace: WorkspaceToRemove
}

/** @returns undefined when the worktree is no pool's, or the pool is full: then it is to be removed. */
export async function findReusable(
  { pool }: WorktreeContext,
  repository: Pick<Repository, "root" | "commonDir">,
  workspace: WorkspaceToRemove,
): Promise<Reusable | undefined> {
  if (!pool) return undefined
  const entry = findPoolEntry(pool.db, workspace.worktree)
  if (entry?.state !== "claimed" || entry.base === null) return undefined
  const { folder, repo, base } = entry
  const places = await pool.listPlaces()
  const place = places.find((one) => one.repo === repo && one.folder === folder)
  // One that was made ahead makes room for it: there is nothing installed in that one.
  const idle = listPoolOf(pool.db, entry).filter(({ state, used }) => state !== "claimed" && used)
  if (!place || idle.length >= place.size || dirname(entry.path) !== folder) return undefined
  const found = findEntry(repository, entry)
  return found && { pool, place, entry, base, dir: found.dir, workspace }
}

/** Takes it off its branch, so that the branch can go. Also what set-up made, where it is not that. */
export async function detachEntry({ dir, base, place, workspace }: Reusable): Promise<void> {
  const { worktree, task } = workspace
  const inputs = await readSetupInputs(worktree, { setup: place.setup, task })
  if (!(await isSetUp(worktree, inputs))) await forgetSetUp(worktree)
  await removePlaced(worktree, workspace.placed)
  await rm(join(dir, "HEAD.lock"), { force: true }) // of a git that was killed: nobody is there
  // Where it stands: git would take the work for changes that nobody has committed, elsewhere.
  const { commit = base } = await readHead(worktree)
  const written = writeHead(dir, commit)
  assert(written === "written", "under the repository's lock nobody else moves HEAD")
}

export async function releaseEntry(context: WorktreeContext, reusable: Reusable): Promise<void> {
  const { pool, place, entry, dir } = reusable
  recordOwner(dir, { home: context.home, task: null })
  releasePoolEntry(pool.db, entry, pool.nowMs())
  pool.keeper.ask(place.repo, place.folder, () => tendPlace(context, pool, place))
}

/** Of a worktree that was removed. */
export function forgetEntry({ pool }: WorktreeContext, worktree: string): void {
  if (pool && findPoolEntry(pool.db, worktree)?.state === "claimed")
    removePoolEntry(pool.db, worktree)
}
