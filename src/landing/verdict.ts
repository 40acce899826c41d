/** What follows when a landing cannot go on by itself: the agent once more, or a person. */

import { unreachable } from "../core/assert.ts"
import type { ConflictFacts, GateFacts } from "../core/hand-back.ts"
import { conflictPrompt, gatePrompt } from "../core/hand-back.ts"
import { branchOf } from "../core/ids.ts"
import type { LandingRepo } from "../store/landings/row.ts"
import type { LandingStep, Outcome } from "./action.ts"

type Cause =
  | { readonly repo: LandingRepo; readonly conflict: ConflictFacts }
  | { readonly repo: LandingRepo; readonly gate: GateFacts }

/**
 * Hands the landing back to the agent that owns the task, or fails it when the agent has had
 * `max_handbacks` chances, or there is none. Each counts, whether or not the agent changed anything.
 */
export function handBackOrFail(
  { context, landing, task }: LandingStep,
  outcome: "REBASE_CONFLICT" | "SQUASH_CONFLICT" | "PRE_MERGE_FAILED",
  cause: Cause,
): Outcome {
  const target = branchOf(cause.repo.target)
  const { reason, prompt } = describe(cause, target)
  const details = "conflict" in cause ? { conflict: cause.conflict } : { gate: cause.gate }
  const { handbacksMax } = context.agentConfig(task.agent).landing
  if (task.agent === null || landing.handbacks >= handbacksMax)
    return { event: "failed", outcome, reason, details }
  const handbacks = landing.handbacks + 1
  return { event: "handedBack", outcome, reason, details, handbacks, handBack: prompt }
}

function describe(cause: Cause, target: string): { reason: string; prompt: string } {
  if ("conflict" in cause) {
    const { paths } = cause.conflict
    const named = paths.map(({ path }) => path).join(", ")
    return {
      reason: `conflicts with ${target} in ${named}`,
      prompt: conflictPrompt(cause.conflict, target),
    }
  }
  if ("gate" in cause) {
    const { command, verdict } = cause.gate
    return { reason: `the gate \`${command}\` ${verdict}`, prompt: gatePrompt(cause.gate, target) }
  }
  return unreachable(cause, "a hand-back's cause")
}
