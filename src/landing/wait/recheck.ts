/**
 * Checks whether the cause of a landing's wait still exists.
 *
 * A woken landing begins with a fresh snapshot. But most checks find no change. Such a check must
 * leave no trace: no event, and no new start of the wait. So we compare everything that the last
 * round relied on before we wake the landing.
 */
import { AppError } from "../../core/errors.ts"
import type { LandingId } from "../../core/ids.ts"
import { findLanding } from "../../store/landings/find.ts"
import { recordLanding } from "../../store/landings/record.ts"
import { findTask } from "../../store/tasks/find.ts"
import type { LandingContext, LandingStep } from "../action.ts"
import { isStillCutOff, isStillInTheWay } from "./still-in-the-way.ts"
import { isStillLocked } from "./still-locked.ts"
import { isStillRed } from "./still-red.ts"

/** Wakes the landing, unless the cause of its wait is unchanged. */
export async function recheckWait(
  context: LandingContext,
  id: LandingId,
  signal: AbortSignal,
): Promise<void> {
  const { db, world } = context
  const landing = findLanding(db, id)
  const task = landing && findTask(db, landing.task)
  if (!task || landing.state !== "waiting") return
  if (await isAsItWas({ context, landing, task, signal })) return
  if (!signal.aborted) recordLanding(db, landing, { event: "woken" }, world.nowMs())
}

/** Any other wait ends by time: the failed step is tried again, and each try counts. */
async function isAsItWas(step: LandingStep): Promise<boolean> {
  const { outcome, repos } = step.landing
  try {
    if (outcome === "LOCKED") return await isStillLocked(step)
    const isCutOff = repos.some(({ intent }) => intent !== null)
    if (outcome === "DIRTY_MAIN")
      return isCutOff ? await isStillCutOff(step) : await isStillInTheWay(step)
    if (isCutOff) return false // it has been repaired
    return outcome === "TARGET_RED" && (await isStillRed(step))
  } catch (error) {
    if (error instanceof AppError || step.signal.aborted) return false // the next round reports the error
    throw error
  }
}
