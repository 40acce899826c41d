/** Waits between two steps of the play, while it goes on. */
import { setTimeout as delay } from "node:timers/promises"

/** Ends early, without an error, when the signal aborts: the caller's loop checks it. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await delay(ms, undefined, { signal })
  } catch (error) {
    if (!signal.aborted) throw error
  }
}
