/**
 * Pushes the branch, and opens its pull request.
 *
 * It first asks the remote for its branch, and the forge for an open pull request of that branch. So a
 * crash between an effect and its record opens no second one. If the lower task has changed or landed,
 * the work is rebased first (`restack.ts`).
 */
import { assert } from "../../base/assert.ts"
import { branchOf, type Oid } from "../../base/ids.ts"
import { type RetryPolicy, retryDelayMs } from "../../base/retry.ts"
import { isAncestor } from "../../kernel/git/ask/merge-base.ts"
import { type Remote, readRemoteBranch } from "../../kernel/git/ask/remote-branch.ts"
import {
  type Action,
  type Configured,
  type Forges,
  type Outcome,
  type Rows,
  type Step,
  taskRepo,
} from "../../kernel/landing/action.ts"
import type { FreshTrees } from "../../kernel/landing/gate/fresh-tree.ts"
import type { LandingRepo } from "../../kernel/landing/rows/row.ts"
import { blocked } from "../../kernel/landing/waiting-outcomes.ts"
import { findHeldBy } from "../../kernel/tasks/rows/dependencies.ts"
import { baseOf, findBelow, mustRestack } from "../stacks/pull-base.ts"
import { restack } from "../stacks/restack.ts"
import { ForgeError } from "./forges/errors.ts"
import type { Forge } from "./forges/forge.ts"
import { listPullRequests, type PullRequest } from "./rows.ts"
import { findRemote } from "./ship/address.ts"
import { findContaining } from "./ship/find-containing.ts"
import { askRemote, network } from "./ship/network-limits.ts"
import { openPullRequest, retarget } from "./ship/open-pull-request.ts"
import { checkReplaceable, type NotPushed, pushWork } from "./ship/push-work.ts"
import { fetchTarget, findPull, remoteOf } from "./ship/remote.ts"

type Uses = FreshTrees & Forges

/** Where the work of a repository goes. */
type Place = {
  readonly repo: LandingRepo
  readonly remote: Remote
  readonly pull: PullRequest
  /** The target's commit at the remote. */
  readonly tip: Oid
  /** The branch that the pull request leads into: the target, or the lower task's branch. */
  readonly into: string
  /** The commit of `into`. */
  readonly onto: Oid
}

type Located =
  | ({ readonly kind: "located" } & Place)
  | { readonly kind: "stopped"; readonly outcome: Outcome | "later" }

type Shipped =
  | { readonly kind: "proposed" | "unchanged" }
  | { readonly kind: "stopped"; readonly outcome: Outcome | "later" }

export const shipping: Action<Uses> = async (step) => {
  const { context, task } = step
  if (findHeldBy(context.db, task.id) !== undefined) return "later"
  const places: Place[] = []
  for (const repo of step.landing.repos) {
    const located = await locate(step, repo)
    if (located.kind === "stopped") return located.outcome
    places.push(located)
  }
  const kept = await checkReplays(step, places)
  if (kept) return kept
  const rebased = await restack(step, places)
  if (rebased) return rebased
  const repos = []
  let isProposed = false
  for (const place of places) {
    const shipped = await ship(step, place)
    if (shipped.kind === "stopped") return shipped.outcome
    isProposed ||= shipped.kind === "proposed"
    const { repo, tip, onto } = place
    const [base, candidate] = shipped.kind === "proposed" ? [tip, null] : [onto, onto]
    repos.push({ name: repo.name, base, candidate })
  }
  const nothing = { reason: null, details: null, attempts: 0, repos }
  if (!isProposed) return { event: "unchanged", outcome: "NO_CHANGES", ...nothing }
  return { event: "pullRequestOpened", outcome: null, wakeAtMs: nextPollMs(step), ...nothing }
}

function nextPollMs({ context, landing }: Step<Rows & Configured>): number {
  const [first] = landing.repos
  assert(first, "a landing has a repository")
  return context.world.nowMs() + context.repoConfig(first).forge.pollMs
}

async function locate(step: Step<Uses>, repo: LandingRepo): Promise<Located> {
  const pull = findPull(step, repo)
  assert(pull, "shipped work has a row")
  const remote = await findRemote(step, repo, pull)
  if (remote === undefined) {
    const reason = `the remote ${remoteOf(step, repo)} of ${repo.path} leads elsewhere than when the task was created`
    return stopped(pushFailed(step, { reason, isFinal: true }))
  }
  const below = findBelow(step.context.db, step.task.id, pull)
  if (below.kind === "closed") return stopped(blocked(step, "LOWER_CLOSED", below))
  if (below.kind === "later") return { kind: "stopped", outcome: "later" }
  const fetched = await fetchTarget(step, repo, remote)
  if (fetched.kind === "failed") return stopped(unreachable(step, fetched.message))
  const { tip } = fetched
  if (!tip) {
    const reason = `${remote.name} has no branch ${branchOf(repo.target)}`
    return stopped(pushFailed(step, { reason, isFinal: true }))
  }
  const onto = below.kind === "branch" ? below.commit : tip
  return { kind: "located", repo, remote, pull, tip, into: baseOf(below, repo), onto }
}

/** After a replay that cannot be pushed, a pull from the remote branch would bring the old commits back. */
async function checkReplays(
  step: Step<Uses>,
  places: readonly Place[],
): Promise<Outcome | undefined> {
  for (const place of places) {
    const { head } = place.repo
    if (head === null || !(await mustRestack(step, place.repo, place))) continue
    const failed = await checkReplaceable(step, { ...place, head })
    if (failed) return notPushed(step, failed)
  }
  return undefined
}

async function ship(step: Step<Uses>, place: Place): Promise<Shipped> {
  const { repo, pull, remote, onto } = place
  const { head, path } = repo
  assert(head, "shipped work has a snapshot")
  if (pull.number === null && (await isAncestor(path, head, onto))) return { kind: "unchanged" }
  try {
    const forge = step.context.forgeOf(repo, remote.push)
    return await propose(step, { ...place, forge, head })
  } catch (error) {
    if (!(error instanceof ForgeError)) throw error
    const reason = [error.message, ...error.hints].join(". ")
    if (error.isUnavailable) return stopped(unreachable(step, reason, error.retryAtMs))
    const gone = await findGone(step, place)
    if (gone !== undefined) return stopped(unreachable(step, gone))
    return stopped(pushFailed(step, { reason, isFinal: false }))
  }
}

/** The branch below goes with its merge or its end, and Coppice sees that a little later. */
async function findGone(
  step: Step<Uses>,
  { repo, remote, into: branch }: Place,
): Promise<string | undefined> {
  if (branch === branchOf(repo.target)) return undefined
  const now = await askRemote(remote, () =>
    readRemoteBranch(repo.path, { remote, branch }, network(step)),
  )
  const isGone = now.kind !== "unreachable" && now.commit === undefined
  return isGone ? `${remote.name} has no branch ${branch}, which is below this work` : undefined
}

const stopped = (outcome: Outcome) => ({ kind: "stopped", outcome }) as const

type Proposing = Place & { readonly forge: Forge; readonly head: Oid }

async function propose(step: Step<Uses>, asked: Proposing): Promise<Shipped> {
  const { repo, remote, forge, pull, head } = asked
  const earlier = pull.number === null ? undefined : await forge.read(pull.number)
  if (earlier?.state === "merged") {
    const found = await findContaining(step, repo, { pull: earlier, remote, forge })
    if (found.kind === "failed") return stopped(unreachable(step, found.message))
    if (found.kind === "contained") return { kind: "proposed" } // the next action notices
  }
  if (earlier?.state === "open") await retarget(step, asked, earlier)
  const pushed = await pushWork(step, asked)
  if (pushed.kind === "failed") return stopped(notPushed(step, pushed))
  // A replay may leave no commits. The forge closes such a pull request, and opens none.
  if (taskRepo(step, repo).base === head) return { kind: "unchanged" }
  if (earlier?.state === "open") return { kind: "proposed" }
  const isOpen = await openPullRequest(step, asked, pushed.branch)
  return isOpen ? { kind: "proposed" } : { kind: "stopped", outcome: "later" }
}

const notPushed = (step: Step<Rows & Configured>, failed: NotPushed): Outcome =>
  failed.isTransient ? unreachable(step, failed.reason) : pushFailed(step, failed)

/** About four minutes: a server may be under repair, and a refusal that stays needs a person soon. */
const PUSHES: RetryPolicy = { attemptsMax: 9, delayMsMin: 2_000, delayMsMax: 60_000 }

/**
 * Stops, retries or keeps the work, as `on_push_failure` says. With `warn`, a pull request that is open
 * stays followed. @param isFinal no retry can help.
 */
function pushFailed(
  step: Step<Rows & Configured>,
  { reason, isFinal }: { readonly reason: string; readonly isFinal: boolean },
): Outcome {
  const { context, landing, task } = step
  const { onPushFailure } = context.agentConfig(task).workspace
  const attempts = landing.attempts + 1
  const failure = { outcome: "PUSH_FAILED", reason, attempts } as const
  if (onPushFailure === "warn" && !isFollowed(step)) return { event: "unshipped", ...failure }
  const delayMs = retryDelayMs(PUSHES, attempts, context.world.dice())
  if (onPushFailure === "warn" && delayMs !== undefined)
    return { event: "pullRequestOpened", wakeAtMs: nextPollMs(step), ...failure }
  if (onPushFailure === "fail" || isFinal || delayMs === undefined)
    return { event: "failed", ...failure }
  return { event: "blocked", wakeAtMs: context.world.nowMs() + delayMs, ...failure }
}

const isFollowed = ({ context, task }: Step<Rows>): boolean =>
  listPullRequests(context.db, task.id).some(
    ({ number, state }) => number !== null && state === "open",
  )

/**
 * With `on_push_failure: retry`, the landing waits for the forge and counts no attempt. With `warn`, it
 * follows an open pull request, and `proposed` tries again.
 */
function unreachable(step: Step<Rows & Configured>, reason: string, retryAtMs?: number): Outcome {
  const { onPushFailure } = step.context.agentConfig(step.task).workspace
  const waits = blocked(step, "FORGE_UNAVAILABLE", { reason })
  if (onPushFailure === "warn" && isFollowed(step))
    return { ...waits, event: "pullRequestOpened", wakeAtMs: nextPollMs(step) }
  if (onPushFailure !== "retry") return pushFailed(step, { reason, isFinal: false })
  return retryAtMs === undefined ? waits : { ...waits, wakeAtMs: retryAtMs }
}
