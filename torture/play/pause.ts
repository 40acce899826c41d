/** Waits between two steps of the play, for as long as it goes on. */
import { setTimeout as delay } from "node:timers/promises"

/** Ends early, without an error, when the signal says so: whoever loops looks at it. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await delay(ms, undefined, { signal })
  } catch (error) {
    if (!signal.aborted) throw error
  }
}
