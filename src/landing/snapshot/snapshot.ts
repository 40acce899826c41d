/** The result of a snapshot of one repository. */
import type { Oid } from "../../core/ids.ts"
import type { ForeignFacts } from "../../core/prompts/foreign-files.ts"

export type Snapshot =
  | { readonly kind: "taken"; readonly head: Oid }
  | { readonly kind: "refused"; readonly reason: string }
  /** Its commits hold files that are no work. */
  | { readonly kind: "foreign"; readonly facts: ForeignFacts }
  /** More is uncommitted than lands without a person's word. */
  | { readonly kind: "tooMuch"; readonly reason: string }
  /** `paths`: of the locks. */
  | { readonly kind: "locked"; readonly reason: string; readonly paths: readonly string[] }

export const refused = (reason: string): Snapshot => ({ kind: "refused", reason })
