/**
 * Checks whether the cause of a landing's wait still exists.
 *
 * A woken landing begins with a fresh snapshot. But most checks find no change. Such a check must
 * leave no trace: no event, and no new start of the wait. So we compare everything that the last
 * round relied on before we wake the landing.
 */

import { existsSync } from "node:fs"
import { isDeepStrictEqual } from "node:util"
import { AppError } from "../../base/errors.ts"
import { branchRef, type LandingId, type Oid } from "../../base/ids.ts"
import { lookAgain } from "../../features/pull-requests/reopened-pull.ts"
import { listPullRequests } from "../../features/pull-requests/rows.ts"
import { readBoth } from "../../features/pull-requests/ship/remote.ts"
import { findBelow } from "../../features/stacks/pull-base.ts"
import { readHead } from "../git/ask/head.ts"
import { readCommit } from "../git/ask/rev-parse.ts"
import { isWorktreeOf } from "../git/ask/worktree-of.ts"
import { findTask } from "../tasks/rows/find.ts"
import type { Task } from "../tasks/rows/row.ts"
import { clearDeadLocks } from "../workspaces/locks/dead-locks.ts"
import type { Configured, Forges, Locks, Rows, Step } from "./action.ts"
import { chooseGate, isGreen } from "./gate/choose-gate.ts"
import { findBaseResult } from "./gate/gate-on-base.ts"
import { writesAll } from "./gate/own-changes.ts"
import { isDirty } from "./gate/restore-worktree.ts"
import { listOpen, listToPublish } from "./landing-repos.ts"
import type { Intent } from "./move/advance-branch.ts"
import { listInTheWay } from "./move/mend-advance.ts"
import { type CheckoutLook, lookAtCheckout } from "./move/target-checkout.ts"
import { findLanding } from "./rows/find.ts"
import { recordLanding } from "./rows/record.ts"
import type { Landing, LandingRepo } from "./rows/row.ts"
import type { TargetMove, WaitDetails } from "./waiting-outcomes.ts"

/** Wakes the landing, unless the cause of its wait is unchanged. */
export async function recheckWait(
  context: Rows & Configured & Locks & Forges,
  id: LandingId,
  signal: AbortSignal,
): Promise<void> {
  const { db, world } = context
  const landing = findLanding(db, id)
  const task = landing && findTask(db, landing.task)
  if (!task) return
  if (landing.state === "failed") return await lookAgain({ context, landing, task, signal })
  if (landing.state !== "waiting") return
  if (await isAsItWas({ context, landing, task, signal })) return
  if (!signal.aborted) recordLanding(db, landing, { event: "woken" }, world.nowMs())
}

/** Any other wait ends by time: the failed step is tried again, and each try counts. */
async function isAsItWas(step: Step<Rows & Configured & Locks>): Promise<boolean> {
  const { outcome, repos } = step.landing
  try {
    if (outcome === "LOCKED") return await isStillLocked(step)
    const isCutOff = repos.some(({ intent }) => intent !== null)
    if (outcome === "DIRTY_MAIN")
      return isCutOff ? await isStillCutOff(step) : await isStillInTheWay(step)
    if (isCutOff) return false // the advance has been repaired
    if (outcome === "LOWER_CLOSED") return isStillClosed(step)
    if (outcome === "UNPUSHED") return await isStillUnpushed(step)
    if (outcome === "UPSTREAM_APART") return await isStillApart(step)
    if (outcome === "TARGET_GONE") return await isStillGone(step)
    return outcome === "TARGET_RED" && (await isStillRed(step))
  } catch (error) {
    if (error instanceof AppError || step.signal.aborted) return false // the next round reports the error
    throw error
  }
}

async function isStillLocked({ context, landing, task, signal }: Step<Configured & Locks>) {
  const { paths = [], worktrees = [] } = (landing.details ?? {}) as Partial<WaitDetails>
  if (worktrees.length === 0) {
    for (const { path } of landing.repos) await clearDeadLocks(path)
    return paths.some((path) => existsSync(path))
  }
  // Queued with the turns like the landing itself, so that a stream of turns never starves it.
  const timeoutMs = context.agentConfig(task).landing.lockTimeoutMs
  using lease = await context.taskLock.worktrees.own(worktrees, {
    task: task.id,
    timeoutMs,
    signal,
  })
  return lease === undefined
}

function isStillClosed({ context: { db }, task }: Step<Rows>): boolean {
  return listPullRequests(db, task.id).some(
    (pull) => findBelow(db, task.id, pull).kind === "closed",
  )
}

async function isStillGone({ landing }: Step): Promise<boolean> {
  for (const { path, target } of listOpen(landing))
    if (!(await readCommit(path, target))) return true
  return false
}

/** A person's push or pull moves one of the two refs. */
async function isStillUnpushed(step: Step<Configured>): Promise<boolean> {
  const { refs } = (step.landing.details ?? {}) as Partial<WaitDetails>
  for (const repo of listOpen(step.landing))
    if (isDeepStrictEqual(await readBoth(step, repo), refs)) return true
  return false
}

/** Both the target and the work are where they were. */
async function isStillApart({ landing, task }: Step): Promise<boolean> {
  const { refs = [] } = (landing.details ?? {}) as Partial<WaitDetails>
  const [base] = refs
  for (const repo of listOpen(landing)) {
    if (base && !(await hasMoved(landing, task, { ...repo, base: base as Oid }))) return true
  }
  return false
}

async function isStillRed(step: Step<Rows & Configured>): Promise<boolean> {
  let isRed = false
  for (const repo of listToPublish(step.landing)) {
    if (!repo.base || !repo.candidate || (await hasMoved(step.landing, step.task, repo)))
      return false
    isRed ||= await isKnownRed(step, repo)
  }
  return isRed
}

/**
 * Uses the current command, environment and approved git hooks. After a change of one of them, there
 * is no result yet and no refusal, so the gate runs again.
 */
async function isKnownRed(step: Step<Rows & Configured>, repo: LandingRepo): Promise<boolean> {
  const choice = await chooseGate(step, repo)
  const { refused } = (step.landing.details ?? {}) as Partial<WaitDetails>
  if (choice.kind === "run" && choice.key.environment === refused) return true
  if (choice.kind !== "remembered" || isGreen(choice)) return false
  const onBase = findBaseResult(step.context.db, choice.baseKeys)
  return onBase !== undefined && (onBase.exitCode !== 0 || writesAll(onBase, choice.own))
}

async function isStillInTheWay(step: Step<Configured>): Promise<boolean> {
  const { landing, task } = step
  const { move } = (landing.details ?? {}) as Partial<WaitDetails>
  if (move) return isStillBehind(step, move)
  let isInTheWay = false
  for (const repo of listToPublish(landing)) {
    const { path, target, base, candidate } = repo
    if (!base || !candidate || (await hasMoved(landing, task, repo))) return false
    const look = await lookAtCheckout(path, { target, from: base, to: candidate })
    isInTheWay ||= isTold(landing, look)
  }
  return isInTheWay
}

/** Whether the same files still keep a target from following its remote. */
async function isStillBehind(
  step: Step<Configured>,
  { name, from, to }: TargetMove,
): Promise<boolean> {
  const { landing } = step
  const { refs } = landing.details as WaitDetails
  const repo = listOpen(landing).find((one) => one.name === name)
  if (!repo || !isDeepStrictEqual(await readBoth(step, repo), refs)) return false
  return isTold(landing, await lookAtCheckout(repo.path, { target: repo.target, from, to }))
}

/** Whether the same files still block the repair of an interrupted move. */
async function isStillCutOff({ landing }: Step): Promise<boolean> {
  for (const { intent, target } of landing.repos) {
    const paths = intent ? await listInTheWay({ intent: intent as Intent, target }) : []
    if (paths.length > 0) return isDeepStrictEqual(pathsOf(landing), paths)
  }
  return false
}

/** Whether this is the landing's recorded reason to wait. */
function isTold(landing: Landing, look: CheckoutLook): boolean {
  if (look.kind !== "inTheWay" || look.reason !== landing.reason) return false
  return isDeepStrictEqual(pathsOf(landing), [...look.paths])
}

const pathsOf = ({ details }: Landing) => (details as WaitDetails | null)?.paths

async function hasMoved(
  { decided }: Landing,
  task: Task,
  landingRepo: LandingRepo,
): Promise<boolean> {
  const { path, target, base, head, candidate, name } = landingRepo
  if ((await readCommit(path, target)) !== base) return true
  if (decided) return false // the landing is rolled forward from its old snapshot
  const repo = task.repos.find((one) => one.name === name)
  const worktree = repo?.worktree && existsSync(repo.worktree) ? repo.worktree : undefined
  const isOurs = task.strategy !== null
  if (worktree && isOurs && !(await isWorktreeOf(worktree, path))) return true
  if (repo && worktree && isOurs && (await isDirty(worktree, repo))) return true
  const branch = repo?.branch
  const tip = branch ? await readCommit(path, branchRef(branch)) : undefined
  const stands = worktree ? (await readHead(worktree)).commit : tip
  const seen = [tip, stands].filter((commit) => commit !== undefined)
  return seen.some((commit) => commit !== head && commit !== candidate)
}
