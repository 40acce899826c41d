/**
 * Moves every target to its candidate, by compare-and-swap from the commit it was prepared on.
 *
 * The one action that moves a target, so it first asks git whether an earlier try got this far.
 */
import { assert } from "../core/assert.ts"
import { retryDelayMs } from "../core/retry.ts"
import { isAncestor } from "../git/merge-base.ts"
import { readCommit } from "../git/rev-parse.ts"
import { updateRef } from "../git/update-ref.ts"
import { recordIntent } from "../store/landings/record-intent.ts"
import type { LandingRepo } from "../store/landings/row.ts"
import type { Action, LandingStep, Outcome } from "./action.ts"
import { type Advanced, advanceCheckout, type Intent } from "./advance-checkout.ts"
import { blocked } from "./blocked.ts"
import { mendCheckout } from "./mend-checkout.ts"
import { updateRefRetry } from "./settings.ts"
import { lookAtCheckout } from "./target-checkout.ts"

export const publishing: Action = async (step) => {
  for (const repo of step.landing.repos) {
    const outcome = await publish(step, repo)
    if (outcome) return outcome
  }
  const repos = step.landing.repos.map(({ name }) => ({ name, published: true }))
  return { event: "published", outcome: "LANDED", reason: null, details: null, repos }
}

/** @returns undefined when the target contains the candidate. */
async function publish(step: LandingStep, repo: LandingRepo): Promise<Outcome | undefined> {
  const { path, target, base, candidate } = repo
  assert(base && candidate, "a landing that publishes has candidates")
  if (repo.intent) return mend(step, repo, repo.intent as Intent)
  const actual = await readCommit(path, target)
  if (actual === candidate) return undefined
  if (actual !== base) {
    const contained = actual && (await isAncestor(path, candidate, actual))
    return contained ? undefined : raced(step, repo)
  }
  const look = await lookAtCheckout(path, { target, from: base, to: candidate })
  if (look.kind === "locked") return blocked(step, "LOCKED", look)
  if (look.kind === "inTheWay") return blocked(step, "DIRTY_MAIN", look)
  if (look.kind === "clear") {
    const intent = { checkout: look.checkout, from: base, to: candidate }
    return conclude(step, repo, await advanceCheckout(move(step, repo, intent)))
  }
  const reason = reasonOf(step)
  const moved = await updateRef(path, { ref: target, from: base, to: candidate, reason })
  if (moved.kind === "moved") return undefined
  return conclude(step, repo, moved.kind === "stale" ? "moved" : "refLocked")
}

async function mend(
  step: LandingStep,
  repo: LandingRepo,
  intent: Intent,
): Promise<Outcome | undefined> {
  const mended = await mendCheckout(move(step, repo, intent))
  if (mended.kind === "locked") return blocked(step, "LOCKED", mended)
  if (mended.kind === "inTheWay") return blocked(step, "DIRTY_MAIN", mended)
  record(step, repo, null)
  return mended.kind === "advanced" ? undefined : raced(step, repo)
}

function conclude(step: LandingStep, repo: LandingRepo, advanced: Advanced): Outcome | undefined {
  if (advanced === "advanced") {
    record(step, repo, null)
    return undefined
  }
  record(step, repo, null)
  const { path, target } = repo
  if (advanced === "moved") return raced(step, repo)
  if (advanced === "refLocked")
    return blocked(step, "LOCKED", { reason: `git's lock on ${target} in ${path} is held` })
  if (advanced === "indexLocked")
    return blocked(step, "LOCKED", {
      reason: `git's index.lock in the checkout of ${target} is held`,
    })
  return blocked(step, "DIRTY_MAIN", { reason: `git refuses to advance the checkout of ${target}` })
}

/** The target moved after the candidate was made: again from a fresh snapshot. Uses no attempts. */
const raced = ({ landing }: LandingStep, { target }: LandingRepo): Outcome => ({
  event: "moved",
  outcome: "FF_NOT_POSSIBLE",
  reason: `${target} moved while the landing was under way`,
  races: landing.races + 1,
})

/** Git failed for a reason it does not say: a few more tries, then a person. */
export function publishFailed(step: LandingStep, message: string): Outcome {
  const { context, landing, task } = step
  const attempts = landing.attempts + 1
  const { attemptsMax } = context.agentConfig(task.agent).landing
  const delayMs = retryDelayMs(updateRefRetry(attemptsMax), attempts, context.world.dice())
  const failure = { outcome: "UPDATE_REF_FAILED", reason: message, attempts } as const
  if (delayMs === undefined) return { event: "failed", ...failure }
  return { event: "blocked", wakeAtMs: context.world.nowMs() + delayMs, ...failure }
}

function move(step: LandingStep, repo: LandingRepo, intent: Intent) {
  const { target } = repo
  const reason = reasonOf(step)
  return { target, intent, reason, record: (now: Intent) => record(step, repo, now) }
}

const record = ({ context, landing }: LandingStep, { name }: LandingRepo, intent: Intent | null) =>
  recordIntent(context.db, landing, name, intent)

const reasonOf = ({ landing, task }: LandingStep) =>
  `coppice: land task ${task.id} (landing ${landing.id})`
