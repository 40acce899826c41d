/**
 * Saves what somebody did in a worktree of a pool while no daemon ran.
 *
 * What is `filling` is cleaned or removed, and all of it is saved or made by us when it becomes that.
 * Between the death of one daemon and the next start a person may have worked there. That is seen by
 * the time at which files were changed, and by commits to which nothing else leads. A cleaning that was
 * cut off looks much the same where it stood: a rescue too many is better than one too few.
 */
import { existsSync, lstatSync } from "node:fs"
import { join } from "node:path"
import { AppError } from "../../core/errors.ts"
import type { GitPath } from "../../core/ids.ts"
import { listLost } from "../../git/history/rev-list-lost.ts"
import { readIndexAnew } from "../../git/index/read-tree.ts"
import { readStatus } from "../../git/index/status.ts"
import { joinBytes } from "../../git/path.ts"
import { readHead } from "../../git/refs/head.ts"
import type { Repository } from "../../git/repository/repository.ts"
import { appendEvent } from "../../store/events/append.ts"
import type { PoolEntry } from "../../store/pool/row.ts"
import type { WorktreeContext } from "../git-worktree/context.ts"
import { endFilling } from "../git-worktree/fill.ts"
import { findHindrance } from "../git-worktree/hindrance.ts"
import { rescueLeftBehind } from "../rescue/left-behind.ts"
import { type Rescue, rescueWorktree } from "../rescue.ts"
import { type FoundEntry, findEntry } from "./entry.ts"
import type { Pool } from "./pool.ts"

/** @returns false where it cannot be saved: then the worktree is not the pool's any more. */
export async function saveTouched(
  { home }: WorktreeContext,
  pool: Pool,
  repository: Repository,
  entry: PoolEntry,
): Promise<boolean> {
  if (entry.since >= pool.openedAtMs) return true
  const found = findEntry(repository, entry)
  if (found?.owner?.home !== home || found.owner.task !== null) return true // looked at by whoever acts
  try {
    const { rescued, isWhole } = await save(home, { repository, entry, found })
    for (const { ref, commit, paths } of rescued) {
      const data = { ref, commit, paths }
      appendEvent(pool.db, { type: "rescue.made", task: null, data }, pool.nowMs())
    }
    return isWhole
  } catch (error) {
    if (!(error instanceof AppError) || error.blame === "bug") throw error
    pool.onError(error)
    return false
  }
}

type Touched = {
  readonly repository: Repository
  readonly entry: PoolEntry
  readonly found: FoundEntry
}

type Saved = { readonly rescued: readonly Rescue[]; readonly isWhole: boolean }

async function save(
  home: string,
  { repository: { root }, entry, found: { dir } }: Touched,
): Promise<Saved> {
  const worktree = entry.path
  await endFilling(dir)
  const { commit: head } = await readHead(worktree)
  if (!head) return { rescued: [], isWhole: false }
  if (!existsSync(join(dir, "index"))) await readIndexAnew(worktree, head)
  const reason = "its pool took it back"
  const request = { owner: { home, task: "pool" as const }, placed: [], reason }
  const isHeadLost = (await listLost(root, [head], [])).size > 0
  const contained = isHeadLost ? [] : [head]
  const rescued: Rescue[] = []
  if (isHeadLost || (await isChanged(worktree, entry.since))) {
    const hindrance = await findHindrance(root, worktree)
    if (hindrance !== undefined) return { rescued, isWhole: false }
    const rescue = await rescueWorktree(worktree, { ...request, contained })
    if (rescue) rescued.push(rescue)
    if (rescue && rescue.nested.length > 0) return { rescued, isWhole: false }
  }
  const logged = { ...request, contained: [head], gitDir: dir, branch: undefined }
  const left = await rescueLeftBehind(root, logged)
  if (left) rescued.push(left)
  return { rescued, isWhole: true }
}

/** Whether something that is there, and differs from its commit, was written since. */
async function isChanged(worktree: string, sinceMs: number): Promise<boolean> {
  const { staged, unstaged, untracked, unmerged } = await readStatus(worktree)
  return [...staged, ...unstaged, ...untracked, ...unmerged].some((path) => {
    const file = joinBytes(worktree, path.replace(/\/$/, "") as GitPath)
    return changedAtMs(file) >= sinceMs
  })
}

/** 0 where it is gone, or a file is where its folder was, which is among the paths itself. */
function changedAtMs(file: Buffer): number {
  try {
    return lstatSync(file).ctimeMs
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException
    if (["ENOENT", "ENOTDIR"].includes(code)) return 0
    throw error
  }
}
