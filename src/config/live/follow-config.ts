/** Keeps rows in line with coppice.yml. */
import type { Config } from "../config.ts"
import type { LiveConfig } from "./live-config.ts"

/** How long a change to coppice.yml may take to apply. */
const LOOK_MS = 1_000

type Following = {
  readonly live: Pick<LiveConfig, "current" | "isUnapproved">
  nowMs(): number
  /** Updates the rows. May be called again with the same configuration. */
  apply(config: Config): void
  onError(error: unknown): void
}

/**
 * Calls `apply` now, after each change of the approved configuration, and after the clock is set back.
 * If `apply` throws, on a full disk for example, it is called again until it succeeds.
 *
 * @returns a function that stops it.
 */
export function followConfig({ live, nowMs, apply, onError }: Following): () => void {
  let applied: Config | undefined
  let lookedAtMs = 0
  const look = () => {
    try {
      const { current } = live
      const now = nowMs()
      const isDue = current !== applied || now < lookedAtMs
      if (isDue && !live.isUnapproved) {
        applied = undefined
        apply(current)
        applied = current
      }
      lookedAtMs = now
    } catch (error) {
      onError(error)
    }
  }
  look()
  const timer = setInterval(look, LOOK_MS)
  return () => clearInterval(timer)
}
