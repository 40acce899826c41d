/**
 * Pushes the branch, and opens its pull request.
 *
 * It first asks the remote for its branch, and the forge for an open pull request of that branch. So a
 * program that dies between an effect and its record opens no second one.
 */
import { assert } from "../../core/assert.ts"
import { branchOf, type Oid } from "../../core/ids.ts"
import type { Pull } from "../../core/pull-request.ts"
import { fillBody, fillTitle } from "../../core/pull-texts.ts"
import { retryDelayMs } from "../../core/retry.ts"
import { ForgeError } from "../../forges/errors.ts"
import type { Forge } from "../../forges/forge.ts"
import { isAncestor } from "../../git/ask/merge-base.ts"
import type { Remote } from "../../git/ask/remote-branch.ts"
import { findHeldBy } from "../../store/dependencies.ts"
import type { LandingRepo } from "../../store/landings/row.ts"
import { type PullRequest, recordPull } from "../../store/pull-requests.ts"
import type { Action, Configured, Forges, Outcome, Rows, Step } from "../action.ts"
import { blocked } from "../blocked.ts"
import { findRemote } from "../ship/address.ts"
import { findContaining } from "../ship/find-containing.ts"
import { pushWork } from "../ship/push-work.ts"
import { fetchTarget, findPull, remoteOf } from "../ship/remote.ts"

type Uses = Rows & Configured & Forges

type Shipped =
  | { readonly kind: "proposed"; readonly tip: Oid }
  | { readonly kind: "unchanged"; readonly tip: Oid }
  | { readonly kind: "stopped"; readonly outcome: Outcome }

export const shipping: Action<Uses> = async (step) => {
  const { context, task } = step
  if (findHeldBy(context.db, task.id) !== undefined) return "later"
  const repos = []
  let isProposed = false
  for (const repo of step.landing.repos) {
    const shipped = await ship(step, repo)
    if (shipped.kind === "stopped") return shipped.outcome
    isProposed ||= shipped.kind === "proposed"
    const candidate = shipped.kind === "proposed" ? null : shipped.tip
    repos.push({ name: repo.name, base: shipped.tip, candidate })
  }
  const nothing = { reason: null, details: null, attempts: 0, repos }
  if (!isProposed) return { event: "unchanged", outcome: "NO_CHANGES", ...nothing }
  const [first] = step.landing.repos
  assert(first, "a landing has a repository")
  const wakeAtMs = context.world.nowMs() + context.repoConfig(first).forge.pollMs
  return { event: "pullRequestOpened", outcome: null, wakeAtMs, ...nothing }
}

async function ship(step: Step<Uses>, repo: LandingRepo): Promise<Shipped> {
  const { head, path } = repo
  const pull = findPull(step, repo)
  assert(head && pull, "work that is shipped has a snapshot and a row")
  const remote = await findRemote(step, repo, pull)
  if (remote === undefined) {
    const reason = `the remote ${remoteOf(step, repo)} of ${path} leads elsewhere than when the task was created`
    return stopped(pushFailed(step, { reason, isFinal: true }))
  }
  const fetched = await fetchTarget(step, repo, remote)
  if (fetched.kind === "failed") return stopped(unreachable(step, fetched.message))
  const { tip } = fetched
  if (!tip) {
    const reason = `${remote.name} has no branch ${branchOf(repo.target)}`
    return stopped(pushFailed(step, { reason, isFinal: true }))
  }
  if (pull.number === null && (await isAncestor(path, head, tip))) return { kind: "unchanged", tip }
  try {
    return await propose(step, repo, {
      forge: step.context.forgeOf(repo, remote.push),
      pull,
      remote,
      head,
      tip,
    })
  } catch (error) {
    if (!(error instanceof ForgeError)) throw error
    const reason = [error.message, ...error.hints].join(". ")
    if (!error.isUnavailable) return stopped(pushFailed(step, { reason, isFinal: false }))
    return stopped(unreachable(step, reason, error.retryAtMs))
  }
}

const stopped = (outcome: Outcome): Shipped => ({ kind: "stopped", outcome })

type Proposing = {
  readonly forge: Forge
  readonly pull: PullRequest
  readonly remote: Remote
  readonly head: Oid
  readonly tip: Oid
}

async function propose(
  step: Step<Uses>,
  repo: LandingRepo,
  { forge, pull, remote, head, tip }: Proposing,
): Promise<Shipped> {
  const { context } = step
  const earlier = pull.number === null ? undefined : await forge.read(pull.number)
  if (earlier?.state === "merged") {
    const merged = { head, merge: earlier.merge, tip }
    if (await findContaining(repo.path, merged)) return { kind: "proposed", tip } // the next action sees it
  }
  const pushed = await pushWork(step, { repo, remote, head, pull, tip })
  if (pushed.kind === "failed")
    return stopped(pushed.isTransient ? unreachable(step, pushed.reason) : pushFailed(step, pushed))
  if (earlier?.state === "open") return { kind: "proposed", tip }
  const opened = await openOrFind(step, repo, { forge, branch: pushed.branch })
  await context.world.point("shipping: opened")
  const { number, url, state } = opened
  const fresh = { number, url, state, review: "waiting", checks: "none", handled: [] } as const
  recordPull(context.db, pull, { ...fresh, problem: await decorate(step, forge, number) })
  return { kind: "proposed", tip }
}

async function openOrFind(
  { context, task }: Step<Uses>,
  repo: LandingRepo,
  { forge, branch }: { readonly forge: Forge; readonly branch: string },
): Promise<Pull> {
  const target = branchOf(repo.target)
  const found = await forge.findOpen({ branch, target })
  if (found) return found
  const { title, body, isDraft } = context.agentConfig(task).pullRequest
  const words = { ...task, task: task.id, summary: task.lastMessage ?? "" }
  const texts = { title: fillTitle(title, words), body: fillBody(body, words) }
  return await forge.open({ branch, target, ...texts, isDraft })
}

/** @returns why labels or reviewers were refused, for a person: the pull request is open anyway. */
async function decorate(
  { context, task }: Step<Configured>,
  forge: Forge,
  number: number,
): Promise<string | null> {
  try {
    await forge.decorate(number, context.agentConfig(task).pullRequest)
    return null
  } catch (error) {
    if (error instanceof ForgeError && !error.isUnavailable) return error.message
    throw error
  }
}

/** Stops, retries or keeps the work, as `on_push_failure` says. @param isFinal no retry can help. */
function pushFailed(
  step: Step<Rows & Configured>,
  { reason, isFinal }: { readonly reason: string; readonly isFinal: boolean },
): Outcome {
  const { context, landing, task } = step
  const { landing: settings, workspace } = context.agentConfig(task)
  const attempts = landing.attempts + 1
  const failure = { outcome: "PUSH_FAILED", reason, attempts } as const
  if (workspace.onPushFailure === "warn") return { event: "unshipped", ...failure }
  const retry = { attemptsMax: settings.attemptsMax, delayMsMin: 1_000, delayMsMax: 30_000 }
  const delayMs = retryDelayMs(retry, attempts, context.world.dice())
  if (workspace.onPushFailure === "fail" || isFinal || delayMs === undefined)
    return { event: "failed", ...failure }
  return { event: "blocked", wakeAtMs: context.world.nowMs() + delayMs, ...failure }
}

/** Without an answer the landing waits and counts no attempt, unless `on_push_failure` is not `retry`. */
function unreachable(step: Step<Rows & Configured>, reason: string, retryAtMs?: number): Outcome {
  const { onPushFailure } = step.context.agentConfig(step.task).workspace
  if (onPushFailure !== "retry") return pushFailed(step, { reason, isFinal: false })
  const waits = blocked(step, "FORGE_UNAVAILABLE", { reason })
  return retryAtMs === undefined ? waits : { ...waits, wakeAtMs: retryAtMs }
}
