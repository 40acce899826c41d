/** The documents with which a browser logs in to the dashboard. */
import { z } from "zod"
import { TEXT_CHARS_MAX } from "../../base/input-bounds.ts"

/** A link that logs one browser in, once. */
export const LoginLinkDocument = z.object({
  url: z.string(),
  /** The same link for other devices, where coppice.yml has `dashboard.url`. Only one of them works. */
  elsewhere: z.string().nullable(),
  expiresAt: z.iso.datetime(),
})
export type LoginLinkDocument = z.infer<typeof LoginLinkDocument>

/** The home of a demo that has begun. */
export const DemoDocument = LoginLinkDocument.extend({
  /** At `/homes/<id>/` of this address; null if only the link leads there. */
  home: z.string().nullable(),
})
export type DemoDocument = z.infer<typeof DemoDocument>

export const LoginLinkRequest = z.strictObject({
  /** For another person: this browser sees the home, and changes nothing. */
  readOnly: z.boolean().default(false),
})

/** The code of such a link. */
export const LoginCode = z.strictObject({ code: z.string().max(100) })
export type LoginCode = z.infer<typeof LoginCode>

/** Asks the daemon to show that it is the one that the page has logged in to. */
export const ProofRequest = z.strictObject({
  /** The session's name. */
  name: z.string().max(100),
  nonce: z.string().max(100),
})
export type ProofRequest = z.infer<typeof ProofRequest>
export const ProofDocument = z.object({ proof: z.string(), readOnly: z.boolean() })
export type ProofDocument = z.infer<typeof ProofDocument>

/** The half of a session that the page keeps; the cookie is the other half. */
export const SessionDocument = z.object({ key: z.string() })
export type SessionDocument = z.infer<typeof SessionDocument>

/** The form behind an address in a notification: feedback, or an answer. */
export const LinkForm = z.object({
  words: z
    .string()
    .max(TEXT_CHARS_MAX)
    .regex(/^[\P{Cc}\t\n\r]*$/u, "must be text without control characters")
    .default(""),
})

/** A browser that gets notifications, as its push service names it. */
export const PushSubscriptionRequest = z.strictObject({
  endpoint: z.url().max(2_000),
  /** An uncompressed point of P-256, and 16 bytes. */
  p256dh: z.string().regex(/^B[\w-]{86}$/, "must be a public key of P-256"),
  auth: z.string().regex(/^[\w-]{22}$/, "must be 16 bytes in base64url"),
})
export const PushEndpoint = z.strictObject({ endpoint: z.string().max(2_000) })
/** The key with which a browser subscribes, and how many do. */
export const PushDocument = z.object({ key: z.string(), browsers: z.number() })
