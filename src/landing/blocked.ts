/** Outcomes of a landing that must wait: what for, and when it looks again. */
import type { LandingStep, Outcome } from "./action.ts"
import { DIRTY_LOOK_AGAIN_MS, LOCKED_LOOK_AGAIN_MS, TARGET_RED_LOOK_AGAIN_MS } from "./settings.ts"

const LOOK_AGAIN_MS = {
  DIRTY_MAIN: DIRTY_LOOK_AGAIN_MS,
  LOCKED: LOCKED_LOOK_AGAIN_MS,
  TARGET_RED: TARGET_RED_LOOK_AGAIN_MS,
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
