/** Tells from recorded results whether a waiting landing's target is still red. Runs no gate. */
import { readTrees } from "../../git/ask/rev-parse.ts"
import { findGateResult } from "../../store/gate-results.ts"
import type { LandingRepo } from "../../store/landings/row.ts"
import type { LandingStep } from "../action.ts"
import { planGate } from "../gate/gate-plan.ts"
import { listToPublish } from "../landing-repos.ts"
import { hasMoved } from "./has-moved.ts"

export async function isStillRed(step: LandingStep): Promise<boolean> {
  let isRed = false
  for (const repo of listToPublish(step.landing)) {
    if (!repo.base || !repo.candidate || (await hasMoved(step.landing, step.task, repo)))
      return false
    isRed ||= await isKnownRed(step, repo)
  }
  return isRed
}

/**
 * Uses the current command and environment. After a change of either there is no result yet, so the
 * gate runs again.
 */
async function isKnownRed(step: LandingStep, repo: LandingRepo): Promise<boolean> {
  const plan = await planGate(step, repo)
  if (plan.kind !== "remembered" || plan.result.exitCode === 0 || !repo.base) return false
  const [tree] = await readTrees(repo.path, [repo.base])
  if (!tree) return false
  const onBase = findGateResult(step.context.db, { ...plan.key, tree })
  return onBase !== undefined && onBase.exitCode !== 0
}
