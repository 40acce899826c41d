/** Keeps what a program told of its account's limit, where it is reached or a person's reserve begins. */
import type { SeenLimit } from "../runtimes/runtime.ts"
import { limitAccount } from "../store/accounts/limit.ts"
import type { JobsContext } from "./context.ts"

/** @param account null: one without such limits. */
export function recordLimit(
  { db, world, limits }: Pick<JobsContext, "db" | "world" | "limits">,
  account: string | null,
  { share, resetAtMs, name }: SeenLimit,
): void {
  if (account === null || share < 1 - limits().reserve) return
  limitAccount(db, { account, name, share, untilMs: resetAtMs }, world.nowMs())
}
