/**
 * A wait by the wall clock, which a person can set back, and which goes on while a computer sleeps.
 *
 * `kernel/store/due-condition.ts` is the same rule for waits that are rows.
 */
export type WallWait = { readonly fromMs: number; readonly untilMs: number }

/** A wait that began later than now was set by a clock that was ahead: it is over too. */
export const goesOn = ({ fromMs, untilMs }: WallWait, nowMs: number): boolean =>
  fromMs <= nowMs && nowMs < untilMs

/**
 * Whether a file is younger than `spanMs`. The clock of its file system may be a little ahead; a time that
 * is further ahead was set by a clock that has been set back since.
 */
export const isYoung = (mtimeMs: number, spanMs: number, nowMs: number): boolean =>
  Math.abs(nowMs - mtimeMs) < spanMs
