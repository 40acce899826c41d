/** Asks git, not the database, whether this landing has moved a target. */
import { isAncestor } from "../../git/ask/merge-base.ts"
import { readCommit } from "../../git/ask/rev-parse.ts"
import type { Db } from "../../store/open.ts"
import { listToPublish } from "../landing-repos.ts"
import { findLanding } from "../rows/find.ts"
import type { Landing, LandingRepo } from "../rows/row.ts"

export async function isPublished(
  { context, landing }: { readonly context: { readonly db: Db }; readonly landing: Landing },
  { path, target, candidate }: LandingRepo,
): Promise<boolean> {
  // With several targets, none moves before the decision. Until then, a commit there comes from
  // another process.
  const isDecided = findLanding(context.db, landing.id)?.decided
  if (!isDecided && listToPublish(landing).length > 1) return false
  const actual = await readCommit(path, target)
  return actual !== undefined && candidate !== null && (await isAncestor(path, candidate, actual))
}
