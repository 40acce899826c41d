/**
 * Moves every target to its candidate, by compare-and-swap from the commit it was prepared on.
 *
 * The one action that moves a target, so it first asks git whether an earlier try got this far.
 * Several targets move all or none: each is verified and locked before the first one moves, and
 * then the landing is decided. Should it be cut off between two of them it is rolled forward; where
 * that cannot be at once it waits, still decided (give-up.ts is for where it never can).
 */
import { assert } from "../core/assert.ts"
import { type RetryPolicy, retryDelayMs } from "../core/retry.ts"
import { readCommit } from "../git/ask/rev-parse.ts"
import { findLanding } from "../store/landings/find.ts"
import { recordPublished } from "../store/landings/record.ts"
import type { LandingRepo } from "../store/landings/row.ts"
import type { Action, LandingStep, Outcome } from "./action.ts"
import { blocked } from "./blocked.ts"
import { isPublished } from "./move/is-published.ts"
import { mendLeft } from "./move/mend-left.ts"
import { moveTargets, type TargetMove } from "./move/move-targets.ts"
import { raced } from "./move/raced.ts"
import { lookAtCheckout } from "./move/target-checkout.ts"
import { listToPublish } from "./open-repos.ts"

/** Git refusing to move a ref for an unknown reason: a few patient tries, then a person. */
const updateRefRetry = (attemptsMax: number): RetryPolicy => ({
  attemptsMax,
  delayMsMin: 500,
  delayMsMax: 30_000,
})

export const publishing: Action = async (step) => {
  const { context, landing } = step
  const open = listToPublish(landing)
  const moves: TargetMove[] = []
  let hindrance: Outcome | undefined
  for (const repo of open) {
    const stand = await findStand(step, repo)
    if (stand.kind === "ready") moves.push(stand.move)
    else if (stand.kind === "hindered") hindrance ??= stand.outcome
    else recordPublished(context.db, landing, repo.name)
  }
  if (!hindrance) await context.world.point("publishing: looked")
  const outcome = hindrance ?? (await moveTargets(step, moves))
  if (outcome) return undecided(step, outcome)
  const repos = open.map(({ name }) => ({ name, published: true }))
  return { event: "published", outcome: "LANDED", reason: null, details: null, repos }
}

type Stand =
  | { readonly kind: "published" }
  | { readonly kind: "hindered"; readonly outcome: Outcome }
  | { readonly kind: "ready"; readonly move: TargetMove }

async function findStand(step: LandingStep, repo: LandingRepo): Promise<Stand> {
  const { path, target, base, candidate } = repo
  assert(base && candidate, "a landing that publishes has candidates")
  const waits = await mendLeft(step, repo)
  if (waits) return { kind: "hindered", outcome: waits }
  // Both only look; what the second sees does not count where the target has moved.
  const [actual, look] = await Promise.all([
    readCommit(path, target),
    lookAtCheckout(path, { target, from: base, to: candidate }),
  ])
  if (actual !== base) {
    if (await isPublished(step, repo)) return { kind: "published" }
    return { kind: "hindered", outcome: raced(step, repo) }
  }
  if (look.kind === "locked") return { kind: "hindered", outcome: blocked(step, "LOCKED", look) }
  if (look.kind === "inTheWay")
    return { kind: "hindered", outcome: blocked(step, "DIRTY_MAIN", look) }
  const checkout = look.kind === "clear" ? look.checkout : null
  const intent = { ref: target, checkout, from: base, to: candidate }
  return { kind: "ready", move: { repo, intent } }
}

/** As long as no target has moved, a person may still cancel, and the agent's later work counts. */
function undecided({ context, landing }: LandingStep, outcome: Outcome): Outcome {
  const repos = findLanding(context.db, landing.id)?.repos ?? []
  return repos.some(({ published }) => published) ? outcome : { ...outcome, decided: false }
}

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
