/** The one act that an address in a notification allows, and the subject of its message. Pure. */
import type { Oid } from "../../base/ids.ts"

export type LinkAction = "approve" | "reject" | "answer"

/** The subject of a decision. It is compared as a whole: a new commit makes another one. */
export type LinkSubject =
  | { readonly commits: readonly { name: string; head: Oid; base: Oid }[] }
  /** The plan's id. */
  | { readonly plan: string }
  | { readonly question: number }

/** A weekend, and the evening before it. */
export const LINK_MS = 3 * 24 * 3_600_000
