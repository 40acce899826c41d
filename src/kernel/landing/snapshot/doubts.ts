/** Finds what is doubtful about a snapshot: its agent is asked once, then a person decides. */
import type { Oid } from "../../../base/ids.ts"
import type { Refs, Rows, Step } from "../action.ts"
import { type StashFacts, stashReason } from "../prompts/popped-stash.ts"
import { type StaleFacts, staleReason } from "../prompts/stale-files.ts"
import { findPoppedStash } from "./popped-stash.ts"
import { findStale } from "./stale-files.ts"

export type Doubt =
  | { readonly outcome: "STALE_FILES"; readonly stale: StaleFacts }
  | { readonly outcome: "FOREIGN_STASH"; readonly stash: StashFacts }

/** @returns none if `head` is not the work of an agent. */
export async function listDoubts(
  step: Step<Rows & Refs>,
  repo: { readonly name: string },
  head: Oid,
): Promise<Doubt[]> {
  const stale = await findStale(step, repo, head)
  const stash = await findPoppedStash(step, repo, head)
  return [
    ...(stale ? [{ outcome: "STALE_FILES", stale } as const] : []),
    ...(stash ? [{ outcome: "FOREIGN_STASH", stash } as const] : []),
  ]
}

/** Continues "it"; undefined without doubts. */
export function doubtsReason(doubts: readonly Doubt[]): string | undefined {
  const parts = doubts.map((one) =>
    "stale" in one ? staleReason(one.stale) : stashReason(one.stash),
  )
  return parts.length === 0 ? undefined : parts.join("; and it ")
}
