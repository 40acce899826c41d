/**
 * Says that proposed work drops changes of others. Its agent was asked, and left them as they are. So a
 * person decides, who merges it or not.
 */
import type { Rows, Step } from "../../../kernel/landing/action.ts"
import { staleReason } from "../../../kernel/landing/prompts/stale-files.ts"
import type { LandingRepo } from "../../../kernel/landing/rows/row.ts"
import { findStale } from "../../../kernel/landing/snapshot/stale-files.ts"

/** @returns undefined if it drops nothing. */
export async function findStaleNote(
  step: Step<Rows>,
  repo: LandingRepo,
): Promise<string | undefined> {
  const facts = repo.head === null ? undefined : await findStale(step, repo, repo.head)
  return facts && `Coppice does not merge this: it ${staleReason(facts)}.`
}
