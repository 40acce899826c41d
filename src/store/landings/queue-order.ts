/** The order of a landing queue, as SQL. */

/** After so many lost races a landing goes before those that came earlier. */
const RACES_FOR_PRECEDENCE = 5

/** States of a landing that is ahead of later ones: it waits for its turn, or is about to. */
export const AHEAD = "('snapshotting', 'queued')"

/**
 * The place of a landing in its queue: columns to order by, in parentheses to compare. All landings
 * share one order, so two of them never wait for each other. One that is decided goes first: part
 * of it is on its target already.
 */
export const queuePlace = (landing: string) =>
  `not ${landing}.decided, ${landing}.races < ${RACES_FOR_PRECEDENCE}, ${landing}.queued_at, ${landing}.id`
