/** Whether the user's checkout still blocks a waiting landing in exactly the same way. */
import { isDeepStrictEqual } from "node:util"
import type { Landing } from "../../store/landings/row.ts"
import type { LandingStep } from "../action.ts"
import type { WaitDetails } from "../blocked.ts"
import { listToPublish } from "../landing-repos.ts"
import type { Intent } from "../move/advance-branch.ts"
import { listInTheWay } from "../move/mend-advance.ts"
import { type CheckoutLook, lookAtCheckout } from "../move/target-checkout.ts"
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

/** Whether the same files still block the repair of an interrupted move. */
export async function isStillCutOff({ landing }: LandingStep): Promise<boolean> {
  for (const { intent, target } of landing.repos) {
    const paths = intent ? await listInTheWay({ intent: intent as Intent, target }) : []
    if (paths.length > 0) return isDeepStrictEqual(pathsOf(landing), paths)
  }
  return false
}

/** Whether this is the landing's recorded reason to wait. */
function isTold(landing: Landing, look: CheckoutLook): boolean {
  if (look.kind !== "inTheWay" || look.reason !== landing.reason) return false
  return isDeepStrictEqual(pathsOf(landing), [...look.paths])
}

const pathsOf = ({ details }: Landing) => (details as WaitDetails | null)?.paths
