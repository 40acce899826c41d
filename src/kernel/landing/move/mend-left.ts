/** Repairs a branch after an interrupted move, before anything else reads it. */

import type { Outcome, Rows, Step } from "../action.ts"
import { findLanding } from "../rows/find.ts"
import { recordIntent } from "../rows/record.ts"
import type { LandingRepo } from "../rows/row.ts"
import { blocked } from "../waiting-outcomes.ts"
import type { Intent } from "./advance-branch.ts"
import { mendAdvance } from "./mend-advance.ts"

/** @returns the cause of the landing's wait, or undefined once nothing needs repair. */
export async function mendLeft(
  step: Step<Rows>,
  { name, path, target }: LandingRepo,
): Promise<Outcome | undefined> {
  const { context, landing } = step
  const repos = findLanding(context.db, landing.id)?.repos ?? []
  const intent = repos.find((repo) => repo.name === name)?.intent as Intent | null | undefined
  if (!intent) return undefined
  const record = (now: Intent | null) => recordIntent(context.db, landing, name, now)
  const mended = await mendAdvance({ repo: path, target, intent, record })
  if (mended.kind === "locked") return blocked(step, "LOCKED", mended)
  if (mended.kind === "inTheWay") return blocked(step, "DIRTY_MAIN", mended)
  record(null)
  return undefined
}
