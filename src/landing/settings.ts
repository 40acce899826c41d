/** The bounds of the landing loop. Each has a name and a reason. */
import type { RetryPolicy } from "../core/retry.ts"

/** How often a checkout that is in the way is looked at again. */
export const DIRTY_LOOK_AGAIN_MS = 2_000
/** Git's own locks are held for milliseconds; a second is patient and still feels immediate. */
export const LOCKED_LOOK_AGAIN_MS = 1_000
/** A red target changes when somebody lands a fix; results are remembered, so a look is cheap. */
export const TARGET_RED_LOOK_AGAIN_MS = 30_000
/** How much of a gate's output is kept, from its end: enough for a test report, small in the store. */
export const GATE_OUTPUT_BYTES_MAX = 64 * 1024
/** How much of it an agent is shown. */
export const GATE_TAIL_CHARS_MAX = 8_000
/** Exit codes by which a shell says that a command could not start. */
export const UNSTARTABLE_EXIT_CODES: readonly number[] = [126, 127]

/** Recorded for a gate that ran into its time limit, as `timeout(1)` has it. */
export const TIMED_OUT_EXIT_CODE = 124

/** Git refusing to move a ref for an unknown reason: a few patient tries, then a person. */
export const updateRefRetry = (attemptsMax: number): RetryPolicy => ({
  attemptsMax,
  delayMsMin: 500,
  delayMsMax: 30_000,
})
