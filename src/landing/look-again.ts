/**
 * Looks whether what a landing waits for is still there.
 *
 * A landing that goes on goes on from a fresh snapshot. But most looks find that nothing has
 * changed, and such a look is to leave no trace: no event, and the wait is as old as it was. So
 * before a landing is woken, everything that its last round relied on is compared.
 */
import { AppError } from "../core/errors.ts"
import type { LandingId } from "../core/ids.ts"
import { findLanding } from "../store/landings/find.ts"
import { recordLanding } from "../store/landings/record.ts"
import { findTask } from "../store/tasks/find.ts"
import type { LandingContext, LandingStep } from "./action.ts"
import { isStillCutOff, isStillInTheWay } from "./wait/still-in-the-way.ts"
import { isStillLocked } from "./wait/still-locked.ts"
import { isStillRed } from "./wait/still-red.ts"

/** Wakes the landing, unless what it waits for is as it was. */
export async function lookAgain(
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

/** Another wait ends with its time: what failed is tried again, and each try counts. */
async function isAsItWas(step: LandingStep): Promise<boolean> {
  const { outcome, repos } = step.landing
  try {
    if (outcome === "LOCKED") return await isStillLocked(step)
    const isCutOff = repos.some(({ intent }) => intent !== null)
    if (outcome === "DIRTY_MAIN")
      return isCutOff ? await isStillCutOff(step) : await isStillInTheWay(step)
    if (isCutOff) return false // it is mended
    return outcome === "TARGET_RED" && (await isStillRed(step))
  } catch (error) {
    if (error instanceof AppError || step.signal.aborted) return false // the round that follows says what is wrong
    throw error
  }
}
