/**
 * The condition, in SQL, that a wait is over at `:nowMs`.
 *
 * A wait that began later than now was set by a clock that was ahead. It is over too, or a clock that is
 * set back by a day would prolong a wait of seconds by a day.
 *
 * @param until column with the end. @param from column with the time at which that was recorded.
 */
export const isOver = (until: string, from: string): string =>
  `(${until} <= :nowMs or ${from} > :nowMs)`
