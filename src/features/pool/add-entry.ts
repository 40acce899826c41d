/** Adds worktrees to a pool and makes them ready: checked out, set up, tracked files unchanged. */

import { existsSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { assert } from "../../base/assert.ts"
import type { Oid } from "../../base/ids.ts"
import type { Repository } from "../../kernel/git/ask/repository.ts"
import { gitDir } from "../../kernel/git/ask/rev-parse.ts"
import { readCheckoutConfig } from "../../kernel/git/ask/true-modes.ts"
import { addDetached, disableSparse } from "../../kernel/git/change/worktree-add.ts"
import { measureFolder } from "../../kernel/process/disk.ts"
import { transaction } from "../../kernel/store/sql.ts"
import { fillWorktree, markUnfilled } from "../../kernel/workspaces/git-worktree/fill-worktree.ts"
import { madeFolder } from "../../kernel/workspaces/git-worktree/made-folder.ts"
import { withRepoLock } from "../../kernel/workspaces/locks/repo-lock.ts"
import { forgetWorktree } from "../../kernel/workspaces/rows/worktrees.ts"
import type { Pool, PoolPlace } from "./pool.ts"
import type { PoolEntry } from "./rows/list.ts"
import { addPoolEntry, recordPoolEntry, recordPoolSize, removePoolEntry } from "./rows/record.ts"

/** Git is slow with more worktrees than this in one folder. */
const PATHS_MAX = 10_000

export type ToMake = {
  readonly repository: Repository
  readonly place: PoolPlace
  readonly base: Oid
}

export async function addEntry(pool: Pool, { repository, place, base }: ToMake): Promise<void> {
  const { root, commonDir } = repository
  const folder = await madeFolder(place.folder, root)
  const checkout = await readCheckoutConfig(root)
  const entry = await withRepoLock(commonDir, async () => {
    // Under the lock: a removal frees its path first, and deletes its record last.
    const reserved = reservePath(pool, { ...place, folder })
    const { path } = reserved
    await addDetached(root, { path, commit: base })
    markUnfilled(await gitDir(path))
    await disableSparse(path, checkout)
    return reserved
  })
  await fillWorktree(entry.path, base, { checkout })
  await setUpEntry(pool, { entry, place, base })
}

export async function setUpEntry(
  pool: Pool,
  { entry, place, base }: Omit<ToMake, "repository"> & { readonly entry: PoolEntry },
): Promise<void> {
  const { path: worktree } = entry
  await pool.setUp({ place, worktree, base, signal: pool.keeper.closing })
  recordPoolEntry(pool.db, entry, { state: "ready", base }, pool.nowMs())
  const bytes = await measureFolder(worktree)
  if (bytes !== undefined) recordPoolSize(pool.db, { path: worktree, bytes })
}

/**
 * The row comes first: after a crash, a folder without a row would stay for ever. The folder comes
 * next, because another home may pool into the same place.
 */
function reservePath({ db, nowMs }: Pool, { repo, folder }: PoolPlace): PoolEntry {
  for (let n = 1; n <= PATHS_MAX; n++) {
    const path = join(folder, `pool-${n}`)
    if (existsSync(path)) continue
    const entry = { path, repo, folder, state: "filling", task: null, since: nowMs() } as const
    // The row of an earlier entry without a worktree may still be there.
    if (!addPoolEntry(db, entry)) continue
    if (isMade(path)) return { ...entry, base: null }
    transaction(db, () => {
      removePoolEntry(db, path)
      forgetWorktree(db, path)
    })
  }
  assert(false, "one of ten thousand paths is free")
}

function isMade(path: string): boolean {
  try {
    mkdirSync(path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false
    throw error
  }
}
