/**
 * Decides which rescues have been kept for long enough. Pure.
 *
 * The oldest go first, by age, number and size, and those of ignored files before all others; but none
 * younger than a week, whatever the bounds say: people look for lost work within days.
 */
import type { RescueBounds } from "../../../config/config.ts"

export type AgedRescue = {
  readonly ref: string
  readonly atMs: number
  /** The rescue holds nothing but files that git ignores. */
  readonly isIgnored: boolean
  /** Size of the objects that no later rescue to go, branch or tag has; null if not measured. */
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

/** The first to go first, by number and size. */
export const inOrder = (a: Ranked, b: Ranked): number =>
  Number(b.isIgnored) - Number(a.isIgnored) || a.atMs - b.atMs

type Ranked = Pick<AgedRescue, "isIgnored" | "atMs">

/**
 * @param rescues all of a repository; of two with the same time, the one later in the list is newer.
 * @returns by ref.
 */
export function computeExpiry(
  rescues: readonly AgedRescue[],
  { ageMsMax, countMax, bytesMax }: RescueBounds,
): Map<string, Expiry> {
  const lastFirst = rescues.toReversed().sort((a, b) => inOrder(b, a))
  let bytes = 0
  const expiries = lastFirst.map(({ ref, atMs, ...rescue }, place): [string, Expiry] => {
    bytes += rescue.bytes ?? 0
    const soonest = atMs + RESCUE_AGE_MS_MIN
    if (place >= countMax) return [ref, { atMs: soonest, bound: "max_count" }]
    if (bytes > bytesMax) return [ref, { atMs: soonest, bound: "max_size" }]
    return [ref, { atMs: Math.max(soonest, atMs + ageMsMax), bound: "max_age" }]
  })
  return new Map(expiries)
}
