/** Distinguishes a requested interruption from a failure. */

export function isAbort(error: unknown, signal: AbortSignal): boolean {
  return (
    signal.aborted &&
    (error === signal.reason || (error instanceof Error && error.name === "AbortError"))
  )
}
