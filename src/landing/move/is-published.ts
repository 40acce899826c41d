/** Asks git whether this landing has moved a target: whatever is on record, this is how things stand. */
import { isAncestor } from "../../git/history/merge-base.ts"
import { readCommit } from "../../git/repository/rev-parse.ts"
import { findLanding } from "../../store/landings/find.ts"
import type { Landing, LandingRepo } from "../../store/landings/row.ts"
import type { Db } from "../../store/open.ts"
import { listToPublish } from "../open-repos.ts"

export async function isPublished(
  { context, landing }: { readonly context: { readonly db: Db }; readonly landing: Landing },
  { path, target, candidate }: LandingRepo,
): Promise<boolean> {
  // Of several targets none moves before the decision: what is there until then is somebody else's.
  const isDecided = findLanding(context.db, landing.id)?.decided
  if (!isDecided && listToPublish(landing).length > 1) return false
  const actual = await readCommit(path, target)
  return actual !== undefined && candidate !== null && (await isAncestor(path, candidate, actual))
}
