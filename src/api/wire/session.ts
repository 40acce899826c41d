/** Where the dashboard puts its session key. Imports no zod, which the page does not load. */

/** A header of every request. */
export const SESSION_HEADER = "x-coppice-key"
/** A daemon that passes on the request of a page, with the token of the other one, says so. */
export const FOR_PAGE_HEADER = "x-coppice-for-page"
/**
 * A browser cannot set headers on a WebSocket. The page offers two subprotocols instead: this name, and
 * its key after `SOCKET_KEY`.
 */
export const SOCKET_PROTOCOL = "coppice"
export const SOCKET_KEY = "coppice-key."
