/** Waits until the landing is the first for its targets, then takes the queue's head. */
import { claimLanding } from "../../store/landings/queue.ts"
import type { Action, Rows } from "../action.ts"

export const queued: Action<Rows> = async ({ context, landing }) => {
  claimLanding(context.db, landing.id, context.world.nowMs())
  return "later"
}
