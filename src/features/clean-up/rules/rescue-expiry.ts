/**
 * Decides which rescues have been kept for long enough. Pure.
 *
 * The oldest go first, by age, number and size; but none younger than a week, whatever
 * the bounds say: people look for lost work within days.
 */
import type { RescueBounds } from "../../../config/config.ts"

export type AgedRescue = {
  readonly ref: string
  readonly atMs: number
  /** Size of the objects that no newer rescue, branch or tag has; null if not measured. */
  readonly bytes: number | null
}

export type Expiry = {
  /** When it expires, if no rescue is added; possibly in the past. */
  readonly atMs: number
  /** The bound that makes it expire. */
  readonly bound: "max_age" | "max_count" | "max_size"
}

/** Within a week a person notices that something is missing; no other bound applies before. */
export const RESCUE_AGE_MS_MIN = 7 * 24 * 3_600_000

/**
 * @param rescues all of a repository; of two with the same time, the one later in the list is newer.
 * @returns by ref.
 */
export function computeExpiry(
  rescues: readonly AgedRescue[],
  { ageMsMax, countMax, bytesMax }: RescueBounds,
): Map<string, Expiry> {
  const newestFirst = rescues.toReversed().sort((a, b) => b.atMs - a.atMs)
  let bytes = 0
  const expiries = newestFirst.map(({ ref, atMs, ...rescue }, place): [string, Expiry] => {
    bytes += rescue.bytes ?? 0
    const soonest = atMs + RESCUE_AGE_MS_MIN
    if (place >= countMax) return [ref, { atMs: soonest, bound: "max_count" }]
    if (bytes > bytesMax) return [ref, { atMs: soonest, bound: "max_size" }]
    return [ref, { atMs: Math.max(soonest, atMs + ageMsMax), bound: "max_age" }]
  })
  return new Map(expiries)
}
