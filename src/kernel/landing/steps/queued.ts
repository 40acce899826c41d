/** Waits until the landing is the first for its targets, then takes the queue's head. */

import type { Action, Rows } from "../action.ts"
import { claimLanding } from "../rows/queue.ts"

export const queued: Action<Rows> = async ({ context, landing }) => {
  claimLanding(context.db, landing.id, context.world.nowMs())
  return "later"
}
