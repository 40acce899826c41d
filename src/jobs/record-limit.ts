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
  const { reserve } = limits()
  if (account === null || share < 1 - reserve) return
  const used = share < 1 ? `; ${Math.round(reserve * 100)}% of it is kept for you` : ""
  const text = `the ${name} of its account to be reset${used}`
  limitAccount(db, { account, untilMs: resetAtMs, text }, world.nowMs())
}
