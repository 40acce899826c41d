/** Records an account's limit if it is reached, or if the reserve for a person begins. */
import type { SeenLimit } from "../runtimes/runtime.ts"
import { limitAccount } from "../store/accounts.ts"
import type { JobsContext } from "./context.ts"

/** @param account null: an account without such limits. */
export function recordLimit(
  { db, world, limits }: Pick<JobsContext, "db" | "world" | "limits">,
  account: string | null,
  { share, resetAtMs, name }: SeenLimit,
): void {
  if (account === null || share < 1 - limits().reserve) return
  limitAccount(db, { account, name, share, untilMs: resetAtMs }, world.nowMs())
}
