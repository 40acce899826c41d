/**
 * Lets one process at a time change a repository's worktrees, branches and remote refs.
 *
 * Raw git loses up to half of such operations when they run together. The operating system's lock
 * on a file in the common git directory is released by death, and also works between daemons of
 * different homes. Within a process, waiters queue up in front of it: they are served in order and
 * do not poll against each other.
 *
 * Never held during a checkout or deletion of a tree: those take long and need no lock.
 */

import { untilAborted } from "../../../base/until-aborted.ts"
import { workMark } from "../../git/start/real-place.ts"
import { acquireLock } from "../../store/lock.ts"
import { waitingFor } from "../../waits/waits.ts"

/** Longer than a fetch may take in another process. */
const LOCK_TIMEOUT_MS = 180_000
const LOCK_POLL_MS = 15

const ENDS = "its holder is done; `fuser <lock>` names the process, whose death gives the lock back"

const NEVER = new AbortController().signal

/** The last of the waiters, by common git directory; never rejects. */
const lastWaiter = new Map<string, Promise<void>>()

/**
 * Runs `work` while this process alone holds the repository with this common git directory.
 *
 * @param signal ends the wait, and never the work: its reason is thrown then.
 */
export async function withRepoLock<Result>(
  commonDir: string,
  work: () => Promise<Result>,
  signal: AbortSignal = NEVER,
): Promise<Result> {
  const before = lastWaiter.get(commonDir)
  const { promise: done, resolve: finish } = Promise.withResolvers<void>()
  lastWaiter.set(commonDir, done)
  try {
    const held = {
      text: `the lock ${workMark(commonDir)}, which another task holds`,
      unblock: ENDS,
    }
    if (before !== undefined) await waitingFor(held, () => untilAborted(before, signal))
    return await holdingLock(commonDir, work, signal)
  } finally {
    finish() // after one that gave up, the next waits for the file itself
    if (lastWaiter.get(commonDir) === done) lastWaiter.delete(commonDir)
  }
}

async function holdingLock<Result>(
  commonDir: string,
  work: () => Promise<Result>,
  signal: AbortSignal,
) {
  const path = workMark(commonDir)
  const wait = { timeoutMs: LOCK_TIMEOUT_MS, pollMs: LOCK_POLL_MS, signal }
  const held = { text: `the lock ${path}, which another process holds`, unblock: ENDS }
  const lock = await waitingFor(held, () => acquireLock(path, wait))
  try {
    return await work()
  } finally {
    lock.release()
  }
}
