/**
 * Polls the open pull requests: hands work back, asks for merges, and notices when the forge has merged
 * or closed one.
 *
 * Only the forge moves a target. A poll without news records nothing.
 */

import type { Oid } from "../../base/ids.ts"
import type { MergeMethod } from "../../config/config.ts"
import { isAncestor } from "../../kernel/git/ask/merge-base.ts"
import { readCommit } from "../../kernel/git/ask/rev-parse.ts"
import type {
  Action,
  Configured,
  Forges,
  Outcome,
  Rows,
  Step,
} from "../../kernel/landing/action.ts"
import type { LandingRepo } from "../../kernel/landing/rows/row.ts"
import { blocked, nextRecheckMs } from "../../kernel/landing/waiting-outcomes.ts"
import { transaction } from "../../kernel/store/sql.ts"
import { findTask } from "../../kernel/tasks/rows/find.ts"
import { recordTask } from "../../kernel/tasks/rows/record.ts"
import { type Below, baseOf, findBelow, mustRestack } from "../stacks/pull-base.ts"
import { ForgeError } from "./forges/errors.ts"
import { type PullChange, type PullRequest, recordPull } from "./rows.ts"
import { checkState, isReady, needsNoApproval, type Pull, pullReviewState } from "./rules.ts"
import { findRemote } from "./ship/address.ts"
import { findContaining } from "./ship/find-containing.ts"
import { handBackPull, handBackThrownOut, type OpenPull } from "./ship/hand-back-pull.ts"
import { mergePull } from "./ship/merge-pull.ts"
import { fetchTarget, findPull } from "./ship/remote.ts"
import { findStaleNote } from "./ship/stale-note.ts"

type Uses = Rows & Configured & Forges

type Polled =
  | { readonly kind: "merged"; readonly base: Oid; readonly candidate: Oid }
  | { readonly kind: "ready" | "waits" }
  /** With `on_push_failure: warn`. */
  | { readonly kind: "unopened" }
  | { readonly kind: "ends"; readonly outcome: Outcome }

export const proposed: Action<Uses> = async (step) => {
  const polled: { readonly name: string; readonly result: Polled }[] = []
  for (const repo of step.landing.repos) {
    const pull = findPull(step, repo)
    if (!pull || repo.candidate !== null) continue // the task has no work there, or it is merged
    const result = await poll(step, repo, pull)
    if (result.kind === "ends") return result.outcome
    polled.push({ name: repo.name, result })
  }
  const merged = polled.flatMap(({ name, result }) =>
    result.kind === "merged" ? { name, base: result.base, candidate: result.candidate } : [],
  )
  if (merged.length === polled.length)
    return { event: "pullRequestMerged", outcome: "LANDED", reason: null, repos: merged }
  if (polled.every(({ result }) => result.kind === "merged" || result.kind === "unopened"))
    return { event: "failed", outcome: "PUSH_FAILED", reason: step.landing.reason }
  if (mustPushAgain(step)) return { event: "moved", outcome: null, reason: PUSHED_AGAIN }
  recordReadiness(
    step,
    polled.every(({ result }) => result.kind === "ready" || result.kind === "merged"),
  )
  return "later"
}

const PUSHED_AGAIN = "its newest work is pushed again"

/** With `on_push_failure: warn`, after a push that found no answer. */
function mustPushAgain({ context, landing: { outcome, sinceMs } }: Step<Rows>): boolean {
  if (outcome !== "FORGE_UNAVAILABLE") return false
  return context.world.nowMs() - sinceMs >= nextRecheckMs(outcome)
}

async function poll(step: Step<Uses>, repo: LandingRepo, row: PullRequest): Promise<Polled> {
  if (row.number === null) return await pollUnopened(step, repo, row)
  try {
    const remote = await findRemote(step, repo, row)
    if (remote === undefined)
      throw new ForgeError("forge.refused", `the remote of ${repo.path} leads elsewhere`)
    const forge = step.context.forgeOf(repo, remote.push)
    const pull = await forge.read(row.number)
    if (pull.state === "open") return await pollOpen(step, repo, { row, pull, remote, forge })
    if (pull.state === "merged") return await pollMerged(step, repo, { row, pull, remote, forge })
    keep(step, row, { state: pull.state, problem: null })
    return closed(pull)
  } catch (error) {
    if (!(error instanceof ForgeError)) throw error
    keep(step, row, { problem: [error.message, ...error.hints].join(". ") })
    return { kind: "waits" }
  }
}

/** A repository without work has no pull request, and nothing to merge. */
async function pollUnopened(
  step: Step<Uses>,
  repo: LandingRepo,
  row: PullRequest,
): Promise<Polled> {
  const remote = await findRemote(step, repo, row)
  if (remote === undefined || repo.head === null) return { kind: "unopened" }
  const fetched = await fetchTarget(step, repo, remote)
  if (fetched.kind === "failed") return { kind: "waits" }
  const { tip } = fetched
  const hasAll = tip !== undefined && (await isAncestor(repo.path, repo.head, tip))
  return hasAll ? { kind: "merged", base: tip, candidate: tip } : { kind: "unopened" }
}

/** Without news there is no write, so that nothing wakes. */
function keep({ context }: Step<Rows>, row: PullRequest, change: PullChange): void {
  const isNew = Object.entries(change).some(
    ([key, value]) => row[key as keyof PullChange] !== value,
  )
  if (isNew) recordPull(context.db, row, change)
}

const closed = ({ url }: Pull): Polled => ({
  kind: "ends",
  outcome: {
    event: "failed",
    outcome: "PULL_REQUEST_CLOSED",
    reason: `its pull request was closed without being merged: ${url}`,
  },
})

/** The worktree goes only when the target provably has the change. */
async function pollMerged(step: Step<Uses>, repo: LandingRepo, merged: OpenPull): Promise<Polled> {
  const { row, pull, remote } = merged
  const found = await findContaining(step, repo, merged)
  if (found.kind === "contained") {
    const { commit: candidate } = found
    keep(step, row, { state: "merged", problem: null })
    const isHead = candidate === repo.head
    const before = isHead ? repo.base : await readCommit(repo.path, `${candidate}^1`)
    return { kind: "merged", base: before ?? candidate, candidate }
  }
  if (found.kind === "lost") {
    keep(step, row, { state: "merged", problem: null })
    const reason = `${pull.url} is merged by ${found.merge.slice(0, 12)}, which does not show the whole change: its branch was probably replaced`
    return { kind: "ends", outcome: { event: "failed", outcome: "MERGED_WITHOUT_WORK", reason } }
  }
  const problem = `${pull.url} is merged, but ${remote.name}, as fetched, does not show the whole change on its target`
  keep(step, row, { state: "merged", problem })
  return { kind: "waits" }
}

/** @throws {ForgeError} if it leads into another branch: its reviews and checks then do not count. */
function requireTarget({ url, target }: Pull, below: Below, repo: LandingRepo): void {
  const wanted = baseOf(below, repo)
  if (target === wanted) return
  const what =
    below.kind === "branch" ? `task ${below.task}, which is below it, has` : "the task's target is"
  const message = `${url} leads into ${target}, and ${what} ${wanted}`
  const hints = [`Change its target to ${wanted} on the forge, or close it.`]
  throw new ForgeError("forge.refused", message, { hints })
}

async function pollOpen(step: Step<Uses>, repo: LandingRepo, open: OpenPull): Promise<Polled> {
  const { row, pull, forge } = open
  const below = findBelow(step.context.db, step.task.id, row)
  if (below.kind === "closed")
    return { kind: "ends", outcome: blocked(step, "LOWER_CLOSED", below) }
  if (below.kind === "later") return { kind: "waits" }
  if (await hasBelowChanged(step, repo, { row, below }))
    return { kind: "ends", outcome: { event: "moved", outcome: null, reason: BELOW_MOVED } }
  requireTarget(pull, below, repo)
  const [reviews, checks] = await Promise.all([
    forge.listPullReviews(pull.number),
    forge.listChecks(pull.head),
  ])
  const review = pullReviewState(reviews, pull.head)
  const checked = checkState(checks)
  const isUpper = below.kind === "branch"
  const { autoMerge: method, reviewers } = step.context.agentConfig(step.task).pullRequest
  const openMs = step.context.world.nowMs() - step.landing.sinceMs
  const isAlone =
    method !== false &&
    reviewers.length === 0 &&
    needsNoApproval({ pull, reviews, checks: checked, openMs })
  const pushed = pull.head === repo.head ? pull.head : row.pushed // a person may have pushed it
  const isPushed = pushed === repo.head // else `on_push_failure: warn`
  const mayMerge = !isUpper && isPushed && (isAlone || isReady(review, checked))
  const unpushed = ["its newest work is not pushed", step.landing.reason].filter(Boolean).join(": ")
  const problem = isUpper
    ? `it leads into ${below.branch}, until task ${below.task} is merged`
    : !isPushed
      ? unpushed
      : mayMerge && method !== false
        ? row.problem // the request for the merge decides whether it still holds
        : null
  keep(step, row, { state: "open", review, checks: checked, problem, pushed })
  const found = { ...open, row: { ...row, pushed }, reviews, checks }
  const outcome = await handBackPull(step, repo, found)
  if (outcome) return { kind: "ends", outcome }
  if (!mayMerge) return { kind: "waits" }
  return method === false ? { kind: "ready" } : await askForMerge(step, repo, open, method)
}

async function askForMerge(
  step: Step<Uses>,
  repo: LandingRepo,
  open: OpenPull,
  method: MergeMethod,
): Promise<Polled> {
  const { row, pull, forge } = open
  const stale = await findStaleNote(step, repo)
  if (stale !== undefined) {
    keep(step, row, { problem: stale })
    return { kind: "ready" }
  }
  const asked = await mergePull(step, open, method)
  if (asked.kind === "thrownOut")
    return { kind: "ends", outcome: await handBackThrownOut(step, repo, { ...open, ...asked }) }
  if (asked.kind === "merged") {
    return await pollMerged(step, repo, { ...open, pull: await forge.read(pull.number) })
  }
  keep(step, row, { problem: asked.problem })
  return { kind: "ready" }
}

const BELOW_MOVED = "the work that it starts from has changed or landed"

/** Whether it must lead into another branch now, or its branch has lost the commit that the work starts from. */
async function hasBelowChanged(
  step: Step<Rows>,
  repo: LandingRepo,
  { row, below }: { readonly row: PullRequest; readonly below: Below },
): Promise<boolean> {
  if (row.base !== baseOf(below, repo)) return true
  return (
    below.kind === "branch" && (await mustRestack(step, repo, { pull: row, onto: below.commit }))
  )
}

/** Moves the state of the task. The landing's state stays. */
function recordReadiness({ context, task }: Step<Rows>, isPullReady: boolean): void {
  const { db, world } = context
  const event = isPullReady ? "reviewsPassed" : "reviewsReopened"
  const from = isPullReady ? "reviews_in_progress" : "pr_ready"
  if (task.state !== from) return
  transaction(db, () => {
    const now = findTask(db, task.id)
    if (now?.state === from) recordTask(db, now, { event }, world.nowMs())
  })
}
