/** The wait until a commit to the store makes a condition true. */
import { isTransient } from "../../base/errors.ts"
import { onNews } from "./commit-news.ts"
import type { Db } from "./open.ts"

/** Delay while the disk is full. */
const TRY_AGAIN_MS = 1_000

/**
 * Calls `look` now, and after every announced commit, until it returns something other than
 * `"pending"`. `look` may write.
 *
 * @returns its result; undefined once `signal` aborts.
 * @throws the error of `look`, unless it is transient.
 */
export function untilStored<T>(
  db: Db,
  look: () => T | "pending",
  signal: AbortSignal,
): Promise<T | undefined> {
  const found = Promise.withResolvers<T | undefined>()
  let timer: NodeJS.Timeout | undefined
  const lookNow = () => {
    try {
      const seen = look()
      if (seen !== "pending") found.resolve(seen)
    } catch (error) {
      if (isTransient(error)) timer = setTimeout(lookNow, TRY_AGAIN_MS)
      else found.reject(error)
    }
  }
  const giveUp = () => found.resolve(undefined)
  // A listener must not write, so `look` runs right after the commit.
  let soon: NodeJS.Immediate | undefined
  const unsubscribe = onNews(db, () => {
    soon ??= setImmediate(() => {
      soon = undefined
      lookNow()
    })
  })
  signal.addEventListener("abort", giveUp)
  if (signal.aborted) giveUp()
  else lookNow()
  return found.promise.finally(() => {
    unsubscribe()
    clearImmediate(soon)
    clearTimeout(timer)
    signal.removeEventListener("abort", giveUp)
  })
}
