/** Waits for a lock between processes, by polling: to wait inside SQLite would freeze the daemon. */
import { setTimeout } from "node:timers/promises"
import { StoreError } from "./errors.ts"
import { type FileLock, tryLockFile } from "./open.ts"

export type LockWait = {
  readonly timeoutMs: number
  readonly pollMs: number
  readonly signal?: AbortSignal | undefined
}

/**
 * Takes the lock of the file `path` once it is free.
 *
 * @throws {StoreError} `store.lock_timeout` (world, transient) after `timeoutMs`; `signal`'s reason
 *   when it aborts first.
 */
export async function acquireLock(path: string, wait: LockWait): Promise<FileLock> {
  const { timeoutMs, pollMs, signal } = wait
  const deadlineMs = performance.now() + timeoutMs
  for (;;) {
    signal?.throwIfAborted()
    const lock = tryLockFile(path)
    if (lock) return lock
    const leftMs = deadlineMs - performance.now()
    if (leftMs <= 0) throw new StoreError("store.lock_timeout", path)
    const waitMs = Math.min(pollMs, leftMs)
    await setTimeout(waitMs, undefined, { signal }).catch(() => signal?.throwIfAborted())
  }
}
