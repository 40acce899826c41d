/**
 * Moves every target to its candidate, by compare-and-swap from the commit it was prepared on.
 *
 * Only this action moves a target, so it first asks git whether an earlier try got this far.
 * Several targets move all or none: each is verified and locked before the first one moves, and
 * then the landing is decided. If it is cut off between two of them, it is rolled forward. If that
 * is not possible yet, it waits, still decided. If it never is, see give-up.ts.
 */
import { assert } from "../../../base/assert.ts"
import { type RetryPolicy, retryDelayMs } from "../../../base/retry.ts"
import { assertApproved } from "../../../features/alternatives/alternatives.ts"
import { pushTarget } from "../../../features/push-target/push-target.ts"
import { readCommit } from "../../git/ask/rev-parse.ts"
import type { Action, Configured, Outcome, Refs, Rows, Step } from "../action.ts"
import { listToPublish } from "../landing-repos.ts"
import { isPublished } from "../move/is-published.ts"
import { mendLeft } from "../move/mend-left.ts"
import { type IntendedMove, moveTargets } from "../move/move-targets.ts"
import { lookAtCheckout } from "../move/target-checkout.ts"
import { findLanding } from "../rows/find.ts"
import { recordPublished } from "../rows/record.ts"
import type { LandingRepo } from "../rows/row.ts"
import { blocked, lostRace } from "../waiting-outcomes.ts"

/** Git refusing to move a ref for an unknown reason: a few patient tries, then a person. */
const updateRefRetry = (attemptsMax: number): RetryPolicy => ({
  attemptsMax,
  delayMsMin: 500,
  delayMsMax: 30_000,
})

export const publishing: Action<Rows & Refs & Configured> = async (step) => {
  const { context, landing } = step
  await assertApproved(step)
  const open = listToPublish(landing)
  const moves: IntendedMove[] = []
  let wait: Outcome | undefined
  for (const repo of open) {
    const found = await checkTarget(step, repo)
    if (found.kind === "ready") moves.push(found.move)
    else if (found.kind === "waits") wait ??= found.outcome
    else recordPublished(context.db, landing, repo.name)
  }
  if (!wait) await context.world.point("publishing: looked")
  const outcome = wait ? undecided(step, wait) : await publish(step, moves)
  if (outcome) return outcome
  const repos = open.map(({ name }) => ({ name, published: true }))
  return { event: "published", outcome: "LANDED", reason: null, details: null, repos }
}

/** Pushes first, where that is set. A refused push keeps all targets that are not pushed yet. */
async function publish(
  step: Step<Rows & Refs & Configured>,
  moves: readonly IntendedMove[],
): Promise<Outcome | undefined> {
  const { context, landing } = step
  const done: IntendedMove[] = []
  for (const move of moves) {
    const pushed = await pushTarget(step, move.repo)
    if (pushed.kind === "pushed") {
      if (context.repoConfig(move.repo).pushTarget) done.push(move)
      continue
    }
    const outcome = await moveTargets(step, done)
    if (outcome) return outcome
    for (const { repo } of done) recordPublished(context.db, landing, repo.name)
    return pushed.isOpen ? pushed.outcome : undecided(step, pushed.outcome)
  }
  const outcome = await moveTargets(step, moves)
  return outcome && undecided(step, outcome)
}

type Found =
  | { readonly kind: "published" }
  | { readonly kind: "waits"; readonly outcome: Outcome }
  | { readonly kind: "ready"; readonly move: IntendedMove }

async function checkTarget(step: Step<Rows & Configured>, repo: LandingRepo): Promise<Found> {
  const { path, target, base, candidate } = repo
  assert(base && candidate, "a landing that publishes has candidates")
  const waits = await mendLeft(step, repo)
  if (waits) return { kind: "waits", outcome: waits }
  // Neither writes. If the target has moved, the second answer does not count.
  const [actual, look] = await Promise.all([
    readCommit(path, target),
    lookAtCheckout(path, { target, from: base, to: candidate }, step.held),
  ])
  if (actual !== base) {
    const isPushed = repo.pushed || !step.context.repoConfig(repo).pushTarget
    if (isPushed && (await isPublished(step, repo))) return { kind: "published" }
    return { kind: "waits", outcome: await lostRace(step, repo) }
  }
  if (look.kind === "locked") return { kind: "waits", outcome: blocked(step, "LOCKED", look) }
  if (look.kind === "inTheWay") return { kind: "waits", outcome: blocked(step, "DIRTY_MAIN", look) }
  const checkout = look.kind === "clear" ? look.checkout : null
  const intent = { ref: target, checkout, from: base, to: candidate }
  return { kind: "ready", move: { repo, intent } }
}

/** As long as no target has moved, a person may still cancel, and the agent's later work counts. */
function undecided({ context, landing }: Step<Rows>, outcome: Outcome): Outcome {
  const repos = findLanding(context.db, landing.id)?.repos ?? []
  return repos.some(({ published, pushed }) => published || pushed)
    ? outcome
    : { ...outcome, decided: false }
}

/** Git failed for an unknown reason: a few more tries, then a person. */
export function publishFailed(step: Step<Rows & Configured>, message: string): Outcome {
  const { context, landing, task } = step
  const attempts = landing.attempts + 1
  const { attemptsMax } = context.agentConfig(task).landing
  const delayMs = retryDelayMs(updateRefRetry(attemptsMax), attempts, context.world.dice())
  const failure = { outcome: "UPDATE_REF_FAILED", reason: message, attempts } as const
  if (delayMs === undefined) return { event: "failed", ...failure }
  return { event: "blocked", wakeAtMs: context.world.nowMs() + delayMs, ...failure }
}
