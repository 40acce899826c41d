/** Waits for a condition, with a bound. Tests never sleep. */
import { setTimeout as delay } from "node:timers/promises"

const POLL_MS_MIN = 20
/** A look at a daemon takes 5 ms of the processor, which what we wait for needs too. */
const POLL_MS_MAX = 200
/** The time to the next look, as a share of the time waited so far. */
const POLL_SHARE = 0.2
const WAIT_MS_MAX = 45_000

/** The first result of `look` that is not undefined, null or false; `what` describes it if none comes. */
export async function waitFor<T>(
  what: string,
  look: () => T | Promise<T>,
  waitMsMax = WAIT_MS_MAX,
): Promise<Exclude<T, undefined | null | false>> {
  const startMs = performance.now()
  for (;;) {
    const found = await look()
    if (found !== undefined && found !== null && found !== false)
      return found as Exclude<T, undefined | null | false>
    const waitedMs = performance.now() - startMs
    if (waitedMs > waitMsMax) throw new Error(`waited ${waitMsMax} ms in vain for ${what}`)
    await delay(Math.min(Math.max(waitedMs * POLL_SHARE, POLL_MS_MIN), POLL_MS_MAX))
  }
}
