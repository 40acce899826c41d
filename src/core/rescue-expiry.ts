/**
 * Decides which rescues have been kept for long enough. Pure.
 *
 * The oldest go first, by age, number and size; none that is younger than a week, whatever the
 * bounds say: who looks for what was lost looks within days.
 */
import type { RescueBounds } from "./config.ts"

export type AgedRescue = {
  readonly ref: string
  readonly atMs: number
  /** Of what nothing newer, no branch and no tag has; null where that was not looked at. */
  readonly bytes: number | null
}

export type Expiry = {
  /** When it goes, if nothing is added to those that there are; it may be past. */
  readonly atMs: number
  /** Of the bounds, which one it is that takes it. */
  readonly bound: "max_age" | "max_count" | "max_size"
}

/** A week in which a person can notice that something is missing, whatever the other bounds say. */
export const RESCUE_AGE_MS_MIN = 7 * 24 * 3_600_000

/** @param rescues all of a repository; of two of one time the later is the newer. @returns by ref. */
export function planExpiry(
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
