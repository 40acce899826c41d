/** Waits for a condition, with a bound. Tests never sleep. */
import { setTimeout as delay } from "node:timers/promises"

const POLL_MS = 20
const WAIT_MS_MAX = 45_000

/** The first result of `look` that is not undefined, null or false; `what` describes it if none comes. */
export async function waitFor<T>(
  what: string,
  look: () => T | Promise<T>,
  waitMsMax = WAIT_MS_MAX,
): Promise<Exclude<T, undefined | null | false>> {
  const endMs = performance.now() + waitMsMax
  for (;;) {
    const found = await look()
    if (found !== undefined && found !== null && found !== false)
      return found as Exclude<T, undefined | null | false>
    if (performance.now() > endMs) throw new Error(`waited ${waitMsMax} ms in vain for ${what}`)
    await delay(POLL_MS)
  }
}
