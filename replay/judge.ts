/** Says what a replayed merge came to, beside what git and the people of then made of it. Pure. */
import type { Oid } from "../src/base/ids.ts"
import type { Landing } from "../src/kernel/landing/rows/row.ts"
import type { PlainMerge } from "./plain-merge.ts"

export const FINDINGS = {
  /** The target's tree is that of the recorded merge. */
  equal: "the recorded tree",
  edited: "as git merges it; the recorded merge was edited by hand",
  resolved: "another tree than a person made of a conflict",
  differs: "another tree than git merges",
  conflictInGit: "a conflict, in git merge too",
  conflictOfOurs: "a conflict, where git merge has none",
  failed: "it failed for another reason than a conflict",
} as const

export type Finding = keyof typeof FINDINGS

export type Judged = {
  readonly outcome: "landed" | "contained" | "conflict" | "failed"
  readonly finding: Finding
  readonly plain: PlainMerge["kind"]
  /** One sentence; null where it landed. */
  readonly reason: string | null
}

type Facts = {
  readonly landing: Pick<Landing, "outcome" | "reason">
  /** The tree of the target, afterwards. */
  readonly tree: Oid
  /** The tree of the recorded merge. */
  readonly recorded: Oid
  readonly plain: PlainMerge
}

export function judge({ landing, tree, recorded, plain }: Facts): Judged {
  const outcome = OUTCOMES[landing.outcome ?? ""] ?? "failed"
  const told = { outcome, plain: plain.kind, reason: landing.reason }
  if (outcome === "failed") return { ...told, finding: "failed" }
  if (outcome === "conflict")
    return { ...told, finding: plain.kind === "clean" ? "conflictOfOurs" : "conflictInGit" }
  if (tree === recorded) return { ...told, finding: "equal" }
  if (plain.kind !== "clean") return { ...told, finding: "resolved" }
  return { ...told, finding: plain.tree === tree ? "edited" : "differs" }
}

const OUTCOMES: Readonly<Record<string, Judged["outcome"]>> = {
  LANDED: "landed",
  NO_CHANGES: "contained",
  SQUASH_CONFLICT: "conflict",
}
