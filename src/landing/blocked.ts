/** Outcomes of a landing that must wait: what for, and when it looks again. */
import type { LandingOutcome } from "../core/landing.ts"
import type { LandingStep, Outcome } from "./action.ts"

/** When what is in the way is looked at again. */
const LOOK_AGAIN_MS = {
  DIRTY_MAIN: 2_000,
  LOCKED: 1_000, // git holds its locks for milliseconds; a second is patient and feels immediate
  TARGET_RED: 30_000, // until somebody lands a fix; results are remembered, so a look is cheap
  GATE_UNAVAILABLE: undefined, // only a person can put it right
  TOO_MUCH_LEFT: undefined, // likewise
} as const

/** When a landing that waits for anything else is looked at again, unless its wait has a time. */
const NEXT_LOOK_MS = 2_000

/** What a landing that waits has for `details`. */
export type WaitDetails = {
  /** Files in the way, as people name them; absolute paths of locks. */
  readonly paths: readonly string[]
  /** Worktrees in which agents have a turn. */
  readonly worktrees?: readonly string[]
}

export function blocked(
  { context }: LandingStep,
  outcome: keyof typeof LOOK_AGAIN_MS,
  { reason, paths = [], worktrees }: { readonly reason: string } & Partial<WaitDetails>,
): Outcome {
  const delayMs = LOOK_AGAIN_MS[outcome]
  const wakeAtMs = delayMs === undefined ? null : context.world.nowMs() + delayMs
  const details: WaitDetails = { paths, ...(worktrees && { worktrees }) }
  return { event: "blocked", outcome, reason, details, wakeAtMs }
}

/** @param of says which locks these are, for the case that they have just gone. */
export function locked(step: LandingStep, paths: readonly string[], of: string): Outcome {
  return blocked(step, "LOCKED", { reason: `git's lock ${paths.join(", ") || of} is held`, paths })
}

/** After a look that found everything as it was. */
export function nextLookMs(outcome: LandingOutcome | null): number {
  const known: Partial<Record<LandingOutcome, number | undefined>> = LOOK_AGAIN_MS
  return (outcome && known[outcome]) || NEXT_LOOK_MS
}
