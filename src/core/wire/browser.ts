/** The documents with which a browser logs in to the dashboard. */
import { z } from "zod"

/** A link that logs one browser in, once. */
export const LoginLinkDocument = z.object({ url: z.string(), expiresAt: z.iso.datetime() })
export type LoginLinkDocument = z.infer<typeof LoginLinkDocument>

/** The code of such a link. */
export const LoginCode = z.strictObject({ code: z.string().max(100) })
export type LoginCode = z.infer<typeof LoginCode>

/** The half of a session that the page keeps; the cookie is the other half. */
export const SessionDocument = z.object({ key: z.string() })
export type SessionDocument = z.infer<typeof SessionDocument>

/** The header in which a page sends its key with every request. */
export const SESSION_HEADER = "x-coppice-key"
/** A WebSocket sends no headers of a page: it offers this protocol, and its key with this prefix. */
export const SOCKET_PROTOCOL = "coppice"
export const SOCKET_KEY = "coppice-key."
