/**
 * Moves every target to its candidate, by compare-and-swap from the commit it was prepared on.
 *
 * The one action that moves a target, so it first asks git whether an earlier try got this far.
 */

import { assert } from "../core/assert.ts"
import { branchOf } from "../core/ids.ts"
import { type RetryPolicy, retryDelayMs } from "../core/retry.ts"
import { listChanges } from "../git/diff-tree.ts"
import { GitError } from "../git/errors.ts"
import { isAncestor } from "../git/merge-base.ts"
import { readCommit } from "../git/rev-parse.ts"
import { recordIntent } from "../store/landings/record-intent.ts"
import type { LandingRepo } from "../store/landings/row.ts"
import type { Action, LandingStep, Outcome } from "./action.ts"
import { type Advanced, advanceBranch, type Intent } from "./advance-branch.ts"
import { blocked } from "./blocked.ts"
import { mendLeft } from "./mend-left.ts"
import { hasBegun } from "./mend-ownership.ts"
import { lookAtCheckout } from "./target-checkout.ts"

/** Git refusing to move a ref for an unknown reason: a few patient tries, then a person. */
const updateRefRetry = (attemptsMax: number): RetryPolicy => ({
  attemptsMax,
  delayMsMin: 500,
  delayMsMax: 30_000,
})

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
  const waits = await mendLeft(step, repo)
  if (waits) return waits
  // Both only look; what the second sees does not count where the target has moved.
  const [actual, look] = await Promise.all([
    readCommit(path, target),
    lookAtCheckout(path, { target, from: base, to: candidate }),
  ])
  if (actual !== base) return (await isPublished(repo)) ? undefined : raced(step, repo)

  if (look.kind === "locked") return blocked(step, "LOCKED", look)
  if (look.kind === "inTheWay") return blocked(step, "DIRTY_MAIN", look)
  await step.context.world.point("publishing: looked")
  const checkout = look.kind === "clear" ? look.checkout : null
  return await advance(step, repo, { ref: target, checkout, from: base, to: candidate })
}

async function advance(
  step: LandingStep,
  repo: LandingRepo,
  intent: Intent,
): Promise<Outcome | undefined> {
  const { path, name } = repo
  const { context, landing, task } = step
  const record = (now: Intent | null) => recordIntent(context.db, landing, name, now)
  const reason = `coppice: land task ${task.id} (landing ${landing.id})`
  const { world } = context
  try {
    const advanced = await advanceBranch({ repo: path, intent, reason, world, record })
    if (advanced.kind === "refused" && (await isLeftHalf(intent)))
      return (await mendLeft(step, repo)) ?? refused(step, advanced)
    record(null)
    if (advanced.kind === "refused") return refused(step, advanced)
    return conclude(step, repo, advanced.kind)
  } catch (error) {
    if (!(error instanceof GitError)) throw error
    // That git may have been killed at any instant, so ask how things stand.
    const waits = await mendLeft(step, repo)
    if (waits || (await isPublished(repo))) return waits
    throw error
  }
}

/** Git checks before it writes, so what it refuses it has seldom begun. */
async function isLeftHalf({ checkout, from, to }: Intent): Promise<boolean> {
  return checkout !== null && hasBegun(checkout, await listChanges(checkout, from, to))
}

function conclude(
  step: LandingStep,
  repo: LandingRepo,
  advanced: Exclude<Advanced["kind"], "refused">,
): Outcome | undefined {
  if (advanced === "advanced") return undefined
  if (advanced === "moved") return raced(step, repo)
  if (advanced === "headMoved")
    return blocked(step, "LOCKED", { reason: `${branchOf(repo.target)} is being checked out` })
  const lock = advanced === "refLocked" ? "lock" : "index.lock in the checkout"
  return blocked(step, "LOCKED", { reason: `git's ${lock} of ${repo.target} is held` })
}

async function isPublished({ path, target, candidate }: LandingRepo): Promise<boolean> {
  const actual = await readCommit(path, target)
  return actual !== undefined && candidate !== null && (await isAncestor(path, candidate, actual))
}

/** The target moved after the candidate was made: again from a fresh snapshot. Uses no attempts. */
const raced = ({ landing }: LandingStep, { target }: LandingRepo): Outcome => ({
  event: "moved",
  outcome: "FF_NOT_POSSIBLE",
  reason: `${branchOf(target)} moved while the landing was under way`,
  races: landing.races + 1,
})

const refused = (step: LandingStep, { said }: { readonly said: string }): Outcome =>
  blocked(step, "DIRTY_MAIN", { reason: `git refuses to advance the checkout: ${said}` })

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
