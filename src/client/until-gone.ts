/** Waits for the end of a daemon's process: only then can the next one have its home. */
import { setTimeout as sleep } from "node:timers/promises"
import { isAlive } from "./alive.ts"
import type { DaemonAddress } from "./daemon-address.ts"

/** Its agents get a few seconds to end before they are killed. */
export const END_MS_MAX = 30_000
const POLL_MS = 25

/** @returns false if it still runs after `waitMsMax`. */
export async function untilGone(
  { pid, identity }: DaemonAddress,
  waitMsMax = END_MS_MAX,
): Promise<boolean> {
  const deadlineMs = Date.now() + waitMsMax
  while (isAlive(pid, identity)) {
    if (Date.now() > deadlineMs) return false
    await sleep(POLL_MS)
  }
  return true
}
