/** Whether a worktree of a pool that waits is as it was left: a person may have begun to work in it. */

import { readStatus } from "../../git/index/status.ts"
import type { Repository } from "../../git/repository/repository.ts"
import type { PoolEntry } from "../../store/pool/row.ts"
import { type FoundEntry, findEntry, readIdleHead } from "./entry.ts"

/** @returns undefined where somebody has: then it is the pool's no more. What git ignores is not asked. */
export async function findUnused(
  repository: Repository,
  home: string,
  entry: PoolEntry,
): Promise<FoundEntry | undefined> {
  const found = findEntry(repository, entry)
  if (found?.owner?.home !== home || found.owner.task !== null) return undefined
  if ((await readIdleHead(found, entry))?.kind !== "detached") return undefined
  const { staged, unstaged, untracked, unmerged } = await readStatus(entry.path)
  const isClean = [staged, unstaged, untracked, unmerged].every((paths) => paths.length === 0)
  return isClean ? found : undefined
}
