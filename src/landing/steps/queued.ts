/** Waits until the landing is the first for its targets, then takes the queue's head. */
import { claimLanding } from "../../store/landings/queue.ts"
import type { Action } from "../action.ts"

export const queued: Action = async ({ context, landing }) => {
  claimLanding(context.db, landing.id, context.world.nowMs())
  return "later"
}
