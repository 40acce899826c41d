/**
 * Adds worktrees to a pool: the folder first, which of several homes that pool into one place one
 * makes, then the row, which within the home is the right to the path.
 */
import { mkdirSync, rmdirSync } from "node:fs"
import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { assert } from "../../core/assert.ts"
import type { Oid, TaskId } from "../../core/ids.ts"
import { disableSparse } from "../../git/index/sparse.ts"
import { readCheckoutConfig } from "../../git/index/true-modes.ts"
import type { Repository } from "../../git/repository/repository.ts"
import { gitDir } from "../../git/repository/rev-parse.ts"
import { addDetached } from "../../git/worktrees/worktree-add.ts"
import { addPoolEntry } from "../../store/pool/add.ts"
import { recordPoolEntry } from "../../store/pool/record.ts"
import type { PoolEntry, PoolKey } from "../../store/pool/row.ts"
import type { WorktreeContext } from "../git-worktree/context.ts"
import { excludeFolder } from "../git-worktree/exclude.ts"
import { fillWorktree, markUnfilled } from "../git-worktree/fill.ts"
import { recordOwner } from "../git-worktree/ownership.ts"
import { withRepoLock } from "../locks/repo-lock.ts"
import type { Pool } from "./pool.ts"

/** More worktrees than this in one folder are beyond what git is quick with. */
const PATHS_MAX = 10_000

/** Takes the next path of a pool that is free, for a task at once, or for nobody yet. */
export function reservePath(
  { db, nowMs }: Pool,
  { repo, folder }: PoolKey,
  task: TaskId | null,
): PoolEntry {
  const state = task === null ? "filling" : "claimed"
  for (let n = 1; n <= PATHS_MAX; n++) {
    const path = join(folder, `pool-${n}`)
    if (!isMade(path)) continue // an entry's, or somebody's
    const entry = { path, repo, folder, state, task, since: nowMs() } as const
    // An earlier entry that has lost its worktree may have the row.
    if (addPoolEntry(db, entry)) return { ...entry, base: null, used: 0 }
    rmdirSync(path)
  }
  assert(false, "one of ten thousand paths is free")
}

/** Whoever makes it has it. */
function isMade(path: string): boolean {
  try {
    mkdirSync(path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false
    throw error
  }
}

/** Makes one more worktree at `base`, ready for whoever claims it. */
export async function addEntry(
  context: WorktreeContext,
  pool: Pool,
  { repository, folder, base }: { repository: Repository; folder: string; base: Oid },
): Promise<void> {
  const { root, commonDir } = repository
  await mkdir(folder, { recursive: true })
  const entry = reservePath(pool, { repo: root, folder }, null)
  const { path } = entry
  const checkout = await readCheckoutConfig(root)
  await withRepoLock(commonDir, async () => {
    await excludeFolder(repository, folder)
    await addDetached(root, { path, commit: base })
    const dir = await gitDir(path)
    markUnfilled(dir)
    recordOwner(dir, { home: context.home, task: null })
    await disableSparse(path, checkout)
  })
  await fillWorktree(path, base, { checkout })
  recordPoolEntry(pool.db, entry, { state: "ready", base }, pool.nowMs())
}
