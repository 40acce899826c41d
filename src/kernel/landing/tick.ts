/**
 * Moves a landing forward by one state.
 *
 * There is no recovery code. An action asks git for the present state before it changes anything,
 * so after a crash the next tick runs the same action again. The dangerous moment lies between an
 * effect and its record: `world.point` names each such moment, and tests stop the program there.
 */
import { assert } from "../../base/assert.ts"
import { isTransient, toErrorDocument } from "../../base/errors.ts"
import type { LandingId } from "../../base/ids.ts"
import { proposed } from "../../features/pull-requests/proposed.ts"
import { shipping } from "../../features/pull-requests/shipping.ts"
import { restacking } from "../../features/stacks/restacking.ts"
import { listRefLocks } from "../git/ask/ref-lock.ts"
import { GitError, IndexLockedError } from "../git/start/errors.ts"
import { StoreError } from "../store/errors.ts"
import { transaction } from "../store/sql.ts"
import { findTask } from "../tasks/rows/find.ts"
import { findSharer } from "../tasks/rows/task-repos/list.ts"
import { ConfigGoneError } from "../tasks/rules/config-gone.ts"
import { isHalted } from "../tasks/rules/duty.ts"
import { RefBusyError, refuseGone } from "../workspaces/errors.ts"
import type { Action, Configured, LandingContext, Outcome, Rows, Step } from "./action.ts"
import { followOutcome } from "./follow-outcome.ts"
import { holdCheckouts } from "./move/hold-checkouts.ts"
import { findLanding } from "./rows/find.ts"
import { recordLanding, resubmitPaused } from "./rows/record.ts"
import type { Landing } from "./rows/row.ts"
import { isLanding } from "./rules/landing-states.ts"
import { isRunnable, type LandingState, type RUNNABLE_STATES } from "./rules.ts"
import { cleaning, uncleaned } from "./steps/cleaning.ts"
import { gating } from "./steps/gating.ts"
import { preparing } from "./steps/preparing.ts"
import { publishFailed, publishing } from "./steps/publishing.ts"
import { queued } from "./steps/queued.ts"
import { snapshotting } from "./steps/snapshotting.ts"
import { syncing } from "./steps/syncing.ts"
import { haltLanding, mustHalt } from "./take-from-queue.ts"
import { giveUp } from "./undo/give-up.ts"
import { blocked } from "./waiting-outcomes.ts"

const ACTIONS: Readonly<Record<(typeof RUNNABLE_STATES)[number], Action>> = {
  snapshotting,
  queued,
  preparing,
  syncing,
  gating,
  publishing,
  shipping,
  restacking,
  proposed,
  cleaning,
}

/** The states that a hold lasts for. A gate takes too long. */
const HELD: readonly LandingState[] = ["syncing", "publishing"]

/**
 * Moves it further while checkouts of its targets are held.
 *
 * @returns whether the landing moved, so that there may be more to do now.
 */
export async function tickLanding(
  context: LandingContext,
  id: LandingId,
  signal: AbortSignal,
): Promise<boolean> {
  const landing = findLanding(context.db, id)
  using held = landing && (await holdCheckouts(context, landing, signal))
  for (;;) {
    const hasMoved = await tickOnce(context, id, { signal, held })
    const state = held && hasMoved && findLanding(context.db, id)?.state
    if (signal.aborted || !state || !HELD.includes(state)) return hasMoved
  }
}

async function tickOnce(
  context: LandingContext,
  id: LandingId,
  under: Pick<Step, "signal" | "held">,
): Promise<boolean> {
  const landing = findLanding(context.db, id)
  if (!landing || !isRunnable(landing.state)) return false
  const task = findTask(context.db, landing.task)
  assert(task, "a landing has a task")
  if (mustHalt(task, landing)) return await tickHalted({ context, landing, task })
  const step = { context, landing, task, ...under }

  await context.world.point(`${landing.state}: before`)
  const acted = await act(ACTIONS[landing.state], step)
  const hasFailed = acted !== "later" && acted.event === "failed"
  const outcome = hasFailed ? await giveUp(step, acted) : acted
  await context.world.point(`${landing.state}: done, not recorded`)
  if (outcome !== "later" && !under.signal.aborted) record(step, outcome)
  return findLanding(context.db, id)?.state !== landing.state
}

/** Ignores the loop's own signal, which only says that the landing must stop. */
async function tickHalted(from: Omit<Step<LandingContext>, "signal">): Promise<boolean> {
  const step = { ...from, signal: new AbortController().signal }
  const { context, landing } = step
  const outcome = await withWorktreesLocked(step, haltLanding)
  await context.world.point(`${landing.state}: halted, not recorded`)
  if (outcome === "later") return false
  const nowMs = context.world.nowMs()
  return transaction(context.db, () => {
    if (!recordLanding(context.db, landing, outcome, nowMs)) return false
    const task = findTask(context.db, landing.task)
    // The task was resumed while its landing was still being taken out.
    if (task && isLanding(task.state) && !isHalted(task)) resubmitPaused(context.db, task.id, nowMs)
    return true
  })
}

async function act(action: Action, step: Step<LandingContext>): Promise<Outcome | "later"> {
  try {
    return await withWorktreesLocked(step, action)
  } catch (error) {
    if (error === step.signal.reason) return "later"
    const { code, message } = toErrorDocument(error).error
    if (code === "bug" && !isTransient(error)) step.context.onBug(error)
    if (step.signal.aborted) return "later"
    if (error instanceof ConfigGoneError && step.landing.state === "cleaning")
      return uncleaned(step, message)
    if (error instanceof ConfigGoneError)
      return blocked(step, "GATE_UNAVAILABLE", { reason: message })
    const locks = step.landing.state === "snapshotting" ? await findLocks(step, error) : undefined
    if (locks) return blocked(step, "LOCKED", { reason: message, paths: locks })
    if (isTransient(error) || error instanceof StoreError) throw error
    refuseGone(step.landing.repos, error)
    // A gate's leftovers must go first, or the next snapshot would take them for work.
    if (error instanceof GitError && step.landing.state === "gating") throw error
    if (step.landing.state === "publishing") return publishFailed(step, message)
    if (step.landing.state === "cleaning") return uncleaned(step, message)
    return { event: "failed", outcome: "WORKTREE_ERROR", reason: message }
  }
}

/** @returns undefined if the error is not about a lock. */
async function findLocks({ landing }: Step, error: unknown) {
  if (error instanceof IndexLockedError) return [error.lock]
  if (!(error instanceof RefBusyError)) return undefined
  const locks = landing.repos.map(({ path }) => listRefLocks(path, error.ref))
  return (await Promise.all(locks)).flat()
}

function record({ context, landing, task }: Step<Rows & Configured>, outcome: Outcome): void {
  const { handBack: _prompt, takeBack: _work, records, ...change } = outcome
  transaction(context.db, () => {
    const now = findTask(context.db, task.id)
    if (!now || mustHalt(now, landing)) return // the task was halted in between
    if (findLanding(context.db, landing.id)?.state === landing.state) records?.()
    if (!recordLanding(context.db, landing, change, context.world.nowMs())) return
    followOutcome(context, { landing: recorded(context, landing), task }, outcome)
  })
}

function recorded({ db }: Pick<LandingContext, "db">, { id }: Landing): Landing {
  const landing = findLanding(db, id)
  assert(landing, "a landing that was recorded is there")
  return landing
}

const TOUCHING: readonly LandingState[] = [
  "snapshotting",
  "syncing",
  "gating",
  "restacking",
  "cleaning",
]

/**
 * Locks the task's worktrees for an action that may touch them (law 6).
 *
 * A task's own turn ends before its landing begins, so they are normally free. If a sibling's turn
 * runs in one, the landing waits without holding anything.
 */
async function withWorktreesLocked(
  step: Step<LandingContext>,
  action: Action,
): Promise<Outcome | "later"> {
  const { context, landing, task, signal } = step
  if (!TOUCHING.includes(landing.state)) return await action(step)
  const worktrees = task.repos.flatMap(({ worktree }) => worktree ?? [])
  const timeoutMs = context.agentConfig(task).landing.lockTimeoutMs
  using lease = await context.taskLock.worktrees.own(worktrees, {
    task: task.id,
    timeoutMs,
    signal,
  })
  if (lease) return await action(step)
  if (landing.state === "cleaning") return "later"
  return blocked(step, "LOCKED", {
    reason: `${whoWorks(step)} works in ${worktrees.join(", ")}`,
    worktrees,
  })
}

/** Names a sibling with an open turn, or the task's own agent if its turn has not ended. */
function whoWorks({ context, task }: Step<Rows>): string {
  const siblings = task.repos.flatMap(({ path, branch, worktree }) =>
    worktree === null
      ? []
      : (findSharer(context.db, { task: task.id, path, branch, worktree }) ?? []),
  )
  return siblings[0] === undefined ? "an agent" : `the agent of task ${siblings[0]}`
}
