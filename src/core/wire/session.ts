/** Where a page sends the key of its session. Without zod, which a page does not load. */

/** A header of every request. */
export const SESSION_HEADER = "x-coppice-key"
/** A page cannot set the headers of a WebSocket: it offers this protocol, and its key with this prefix. */
export const SOCKET_PROTOCOL = "coppice"
export const SOCKET_KEY = "coppice-key."
