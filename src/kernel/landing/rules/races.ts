/** When a landing holds its target, because the target moves more often than a landing takes. Pure. */

/** Lost races for the target. */
type Lost = { readonly races: number }

/** With fewer lost races a landing holds nothing: usually the next round wins. */
const RACES_MIN = 2
/** Git waits 100 ms for a ref. It does not wait for an index, so the first hold is short. */
const HOLD_MS_MIN = 80
/** A hold that was too short doubles: many files, or a machine under load. */
const HOLD_MS_MAX = 640

export const isOutpaced = ({ races }: Lost): boolean => races >= RACES_MIN

export const holdMs = ({ races }: Lost): number =>
  Math.min(HOLD_MS_MAX, HOLD_MS_MIN * 2 ** (races - RACES_MIN))
