/** Waits for what cannot be interrupted itself, and lets go of it when the wait is. */

/** @throws `signal`'s reason when it aborts first; `promise` goes on then, and may reject unheard. */
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
