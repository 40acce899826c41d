/**
 * Brings a target up to its remote, before a candidate is made on it (`push_target`).
 *
 * The target only moves forward. If it has commits that the remote lacks, a person decides about
 * them: Coppice pushes no commit that did not come through a landing.
 */
import { branchOf, type Oid } from "../../base/ids.ts"
import { shellWord } from "../../base/text/shell-word.ts"
import { isAncestor } from "../../kernel/git/ask/merge-base.ts"
import type { Remote } from "../../kernel/git/ask/remote-branch.ts"
import { readCommit } from "../../kernel/git/ask/rev-parse.ts"
import type { Configured, Outcome, Refs, Rows, Step } from "../../kernel/landing/action.ts"
import { nameTarget } from "../../kernel/landing/landing-repos.ts"
import { advanceBranch, type Intent } from "../../kernel/landing/move/advance-branch.ts"
import { mendLeft } from "../../kernel/landing/move/mend-left.ts"
import { lookAtCheckout } from "../../kernel/landing/move/target-checkout.ts"
import { recordPush } from "../../kernel/landing/rows/push.ts"
import { recordIntent } from "../../kernel/landing/rows/record.ts"
import type { LandingRepo } from "../../kernel/landing/rows/row.ts"
import { blocked, targetMoved } from "../../kernel/landing/waiting-outcomes.ts"
import { findTargetRemote, leadsElsewhere } from "../pull-requests/ship/address.ts"
import { fetchTarget, readBoth } from "../pull-requests/ship/remote.ts"
import { hasArrived } from "./push-target.ts"

type Uses = Rows & Refs & Configured

export type Followed =
  /** Also without `push_target`. */
  | { readonly kind: "upToDate" }
  /** An earlier try pushed the candidate, and now the target here contains it. */
  | { readonly kind: "landed" }
  | { readonly kind: "stopped"; readonly outcome: Outcome }

export async function followRemote(step: Step<Uses>, repo: LandingRepo): Promise<Followed> {
  const { path, target } = repo
  if (!step.context.repoConfig(repo).pushTarget) return { kind: "upToDate" }
  const waits = await mendLeft(step, repo)
  if (waits) return stopped(waits)
  const here = await readCommit(path, target)
  if (!here) return { kind: "upToDate" } // the next step reports a target that is gone
  const remote = await findTargetRemote(step, repo)
  if (!remote) return stopped(await leadsElsewhere(step, repo))
  const earlier = await isPushedEarlier(step, repo, remote)
  if (earlier === undefined)
    return stopped(
      blocked(step, "REMOTE_UNAVAILABLE", { reason: `${remote.name} does not answer` }),
    )
  const fetched = await fetchTarget(step, repo, remote)
  if (fetched.kind === "failed")
    return stopped(blocked(step, "REMOTE_UNAVAILABLE", { reason: fetched.message }))
  const { tip } = fetched
  const isPushed = earlier || (await hasArrivedSince(step, repo, tip))
  if (isPushed && !(await contains(repo, tip))) return stopped(takenAway(step, repo, remote))
  if (isPushed && (await contains(repo, here))) return { kind: "landed" }
  if (tip !== here) {
    const isBehind = tip !== undefined && (await isAncestor(path, here, tip))
    if (!isBehind) return stopped(await unpushed(step, repo, remote))
    const outcome = await advance(step, repo, { from: here, to: tip })
    if (outcome) return stopped(outcome)
  }
  return { kind: isPushed ? "landed" : "upToDate" }
}

const stopped = (outcome: Outcome): Followed => ({ kind: "stopped", outcome })

const contains = async ({ path, candidate }: LandingRepo, tip: Oid | undefined): Promise<boolean> =>
  tip !== undefined && candidate !== null && (await isAncestor(path, candidate, tip))

/** Only a decided landing has the candidate of its push still. Undefined: the remote does not answer. */
async function isPushedEarlier(
  step: Step<Uses>,
  repo: LandingRepo,
  remote: Remote,
): Promise<boolean | undefined> {
  const { context, landing } = step
  const { name, receipt, pushed } = repo
  if (pushed || receipt === null) return pushed
  const arrived = landing.decided && (await hasArrived(step, repo, remote))
  // The receipt of an earlier candidate says nothing about the next one.
  if (arrived !== undefined)
    recordPush(context.db, landing, { name, receipt: arrived ? receipt : null, pushed: arrived })
  return arrived
}

/** A push can still arrive between the two questions. */
async function hasArrivedSince(
  { context, landing }: Step<Uses>,
  repo: LandingRepo,
  tip: Oid | undefined,
): Promise<boolean> {
  const { name, receipt } = repo
  if (receipt === null || !landing.decided || !(await contains(repo, tip))) return false
  recordPush(context.db, landing, { name, receipt, pushed: true })
  return true
}

/** Another push removed what this landing had pushed. Only a person may bring it back. */
function takenAway(step: Step<Rows>, repo: LandingRepo, remote: Remote): Outcome {
  const target = nameTarget(step.landing, repo)
  const reason = `it was pushed to ${target} of ${remote.name}, and another push has removed it there`
  const repos = [{ name: repo.name, pushed: false }]
  return { event: "failed", outcome: "PUSH_FAILED", reason, decided: false, repos }
}

async function unpushed(step: Step<Uses>, repo: LandingRepo, remote: Remote): Promise<Outcome> {
  const branch = branchOf(repo.target)
  const git = `git -C ${shellWord(repo.path)}`
  const where = `${remote.name} ${shellWord(branch)}`
  const reason = `${nameTarget(step.landing, repo)} has commits that ${remote.name} does not have: \`${git} push ${where}\`, after \`${git} pull --rebase ${where}\` if the two have parted`
  const refs = await readBoth(step, repo)
  return blocked(step, "UNPUSHED", { reason, refs })
}

async function advance(
  step: Step<Uses>,
  repo: LandingRepo,
  { from, to }: { readonly from: Oid; readonly to: Oid },
): Promise<Outcome | undefined> {
  const { context, landing } = step
  const { name, path, target } = repo
  const look = await lookAtCheckout(path, { target, from, to })
  if (look.kind === "locked") return blocked(step, "LOCKED", look)
  if (look.kind === "inTheWay") {
    const refs = await readBoth(step, repo)
    return blocked(step, "DIRTY_MAIN", { ...look, refs, move: { name, from, to } })
  }
  const intent = { ref: target, checkout: look.kind === "clear" ? look.checkout : null, from, to }
  const record = (now: Intent | null) => recordIntent(context.db, landing, name, now)
  const reason = `fetch: ${branchOf(target)} of the remote, before a landing of coppice`
  const moved = await advanceBranch({ repo: path, intent, reason, world: context.world, record })
  if (moved.kind === "refused") return (await mendLeft(step, repo)) ?? targetMoved(step, repo)
  record(null)
  return moved.kind === "advanced" ? undefined : targetMoved(step, repo)
}
