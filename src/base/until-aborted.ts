/** Makes a wait abortable, even if the work itself is not. */

/**
 * @throws {Error} the reason of `signal` when it aborts first; `promise` goes on then, and its
 *   rejection is ignored.
 */
export async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>()
  const letGo = () => aborted.reject(signal.reason)
  if (signal.aborted) letGo()
  signal.addEventListener("abort", letGo, { once: true })
  try {
    return await Promise.race([promise, aborted.promise])
  } finally {
    signal.removeEventListener("abort", letGo)
  }
}
