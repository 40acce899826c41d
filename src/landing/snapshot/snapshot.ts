/** What a snapshot of one repository comes to. */
import type { Oid } from "../../core/ids.ts"

export type Snapshot =
  | { readonly kind: "taken"; readonly head: Oid }
  | { readonly kind: "refused"; readonly reason: string }
  /** `paths`: of the locks. */
  | { readonly kind: "locked"; readonly reason: string; readonly paths: readonly string[] }

export const refused = (reason: string): Snapshot => ({ kind: "refused", reason })
