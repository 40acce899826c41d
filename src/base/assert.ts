/** Assertions find our bugs, not the user's mistakes: a failed one means this program is wrong. */
import { BugError } from "./errors.ts"

/** Throws {@link BugError} unless `condition` holds. `why` says what was believed. */
export function assert(condition: unknown, why: string): asserts condition {
  if (!condition) throw new BugError(why)
}

/** Makes the compiler prove that a `switch` covers every case. */
export function unreachable(value: never, where: string): never {
  throw new BugError(`${where}: unhandled ${JSON.stringify(value)}`)
}
