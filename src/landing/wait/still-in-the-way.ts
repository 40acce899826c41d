/** Whether the user's checkout is in the way of a waiting landing exactly as it was. */
import { isDeepStrictEqual } from "node:util"
import type { Landing } from "../../store/landings/row.ts"
import type { LandingStep } from "../action.ts"
import type { WaitDetails } from "../blocked.ts"
import { type CheckoutLook, lookAtCheckout } from "../move/target-checkout.ts"
import { listToPublish } from "../open-repos.ts"
import { hasMoved } from "./has-moved.ts"

export async function isStillInTheWay({ landing, task }: LandingStep): Promise<boolean> {
  let isInTheWay = false
  for (const repo of listToPublish(landing)) {
    const { path, target, base, candidate } = repo
    if (!base || !candidate || (await hasMoved(landing, task, repo))) return false
    const look = await lookAtCheckout(path, { target, from: base, to: candidate })
    isInTheWay ||= isTold(landing, look)
  }
  return isInTheWay
}

/** Whether this is what the landing says that it waits for. */
function isTold({ reason, details }: Landing, look: CheckoutLook): boolean {
  if (look.kind !== "inTheWay" || look.reason !== reason) return false
  return isDeepStrictEqual((details as WaitDetails | null)?.paths, [...look.paths])
}
