/** Outcomes of a landing that must wait: what for, and when it looks again. */
import type { LandingStep, Outcome } from "./action.ts"

/** When what is in the way is looked at again. */
const LOOK_AGAIN_MS = {
  DIRTY_MAIN: 2_000,
  LOCKED: 1_000, // git holds its locks for milliseconds; a second is patient and feels immediate
  TARGET_RED: 30_000, // until somebody lands a fix; results are remembered, so a look is cheap
  GATE_UNAVAILABLE: undefined, // only a person can put it right
} as const

export function blocked(
  { context }: LandingStep,
  outcome: keyof typeof LOOK_AGAIN_MS,
  { reason, paths = [] }: { readonly reason: string; readonly paths?: readonly string[] },
): Outcome {
  const delayMs = LOOK_AGAIN_MS[outcome]
  const wakeAtMs = delayMs === undefined ? null : context.world.nowMs() + delayMs
  return { event: "blocked", outcome, reason, details: { paths }, wakeAtMs }
}
