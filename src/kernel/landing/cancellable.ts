/** Checks whether a landing can still be cancelled. */

import { next } from "../../base/machine.ts"
import type { Intent } from "./move/advance-branch.ts"
import type { Landing } from "./rows/row.ts"
import { LANDING } from "./rules.ts"

/** False once one of its targets may have moved. From then on the landing is rolled forward. */
export function isCancellable({ state, decided, repos }: Landing): boolean {
  const mayMove = repos.some(({ intent, target }) => (intent as Intent | null)?.ref === target)
  const isPushed = repos.some(({ pushed }) => pushed)
  return !decided && !isPushed && !mayMove && next(LANDING, state, "cancelled") !== undefined
}
