/**
 * Removes the lock files that dead processes left in a repository. The one rule for them:
 *
 * - a lock that names its owners (kernel/git/change/own-index.ts) is dead when all of them have ended;
 * - any other is dead when no running process can hold it (kernel/process/lock-holder.ts);
 * - if processes that could hold it may be invisible to us, it stays, and a person is told.
 *
 * Only this file removes a lock that it did not make, and only under the repository's lock.
 * Otherwise two daemons could remove the same one, the slower of them a new git's live lock.
 */
import { rmSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { branchRef } from "../../../base/ids.ts"
import { listLockFiles, listWorktreeRoots } from "../../git/ask/lock-files.ts"
import { gitDir } from "../../git/ask/rev-parse.ts"
import { readOwners } from "../../git/change/own-index.ts"
import { commonDirOf, findGitDir } from "../../git/start/git-dir.ts"
import { judgeLock, type LockFate } from "../../process/lock-holder.ts"
import { hasEnded } from "../../process/process-identity.ts"
import { withRepoLock } from "./repo-lock.ts"

/** A lock that stays, because its holder may be invisible to us. */
export type DoubtfulLock = { readonly lock: string; readonly sinceMs: number }

/** Git keeps its lock open, or runs; a library may have just closed the file. */
const PATIENCE_MS = 1_000

type Judged = { readonly lock: string; readonly fate: LockFate }

type IsOurs = (lock: string) => boolean

/**
 * @param cwd in the repository.
 * @param isOurs whether a git of ours is known to have made the lock, so that it was no library's.
 * @returns the locks that a person should check.
 */
export async function clearDeadLocks(
  cwd: string,
  isOurs: IsOurs = () => false,
): Promise<readonly DoubtfulLock[]> {
  const common = commonDirOf(await gitDir(cwd))
  const judged = judgeAll(common, isOurs)
  if (judged.some(isDead)) await withRepoLock(common, async () => removeDead(common, isOurs))
  return judged
    .filter(({ fate }) => fate === "unknown")
    .flatMap(({ lock }) => {
      const found = statSync(lock, { throwIfNoEntry: false })
      return found ? [{ lock, sinceMs: found.mtimeMs }] : []
    })
}

/**
 * The same once every lock of this worktree and its branch is old enough to be judged: the processes
 * that worked there may have been ended just now.
 */
export async function clearDeadLocksOf(
  { path, worktree, branch }: { path: string; worktree: string; branch: string },
  signal: AbortSignal,
): Promise<void> {
  const dir = findGitDir(worktree)
  const common = commonDirOf(await gitDir(path))
  const ofBranch = join(common, `${branchRef(branch)}.lock`)
  const isIts = (lock: string) => dirname(lock) === dir || lock === ofBranch
  if (listLockFiles(common).some(isIts)) await delay(PATIENCE_MS, undefined, { signal })
  await clearDeadLocks(path)
}

/**
 * The locks are judged again: another daemon may have removed one, and a git may have made its own
 * since.
 */
function removeDead(common: string, isOurs: IsOurs): void {
  for (const { lock } of judgeAll(common, isOurs).filter(isDead)) rmSync(lock, { force: true })
}

const isDead = ({ fate }: Judged): boolean => fate === "dead"

function judgeAll(common: string, isOurs: IsOurs): Judged[] {
  const locks = listLockFiles(common)
  if (locks.length === 0) return []
  const folders = [common, dirname(common), ...listWorktreeRoots(common)]
  return locks.map((lock) => {
    const owners = readOwners(lock)
    if (owners) return { lock, fate: owners.every(hasEnded) ? "dead" : "held" }
    const patienceMs = isOurs(lock) ? 0 : PATIENCE_MS
    return { lock, fate: judgeLock(lock, { folders, patienceMs }) }
  })
}
