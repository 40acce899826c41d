/**
 * The sign of life of a WebSocket that is followed. Imports no zod, which the page does not load.
 *
 * A network can drop messages and keep the connection. A browser shows its page no pings, so that the
 * page could not tell a silent connection from a quiet fleet.
 */

/** How often one is sent to a follower that asks for beats. */
export const BEAT_MS = 3_000
/** After so many silent intervals, a follower takes the connection for lost. */
export const SILENT_BEATS_MAX = 2
/** The message. It has no number: nothing has happened. */
export const BEAT = '{"beat":true}'
