/**
 * Runs a task's open turn, and the turns that follow in the same process.
 *
 * A turn that a crash interrupted is still open. The agent gets it again in the same worktree and
 * the same conversation.
 */
import { assert } from "../../base/assert.ts"
import { AppError, isTransient, toErrorDocument } from "../../base/errors.ts"
import type { TaskId } from "../../base/ids.ts"
import { refuseUnkept } from "../../config/agent-of-task.ts"
import type { SessionEnd } from "../runtime/runtime.ts"
import { appendEvent } from "../store/events.ts"
import { waitingFor } from "../waits/waits.ts"
import { refuseGone } from "../workspaces/errors.ts"
import { claimFolders } from "../workspaces/rows/folder-leases.ts"
import { PassingStashes } from "../workspaces/stashes/passing-stashes.ts"
import type { JobsContext, Missing, Rows } from "./context.ts"
import type { Running } from "./end-turn.ts"
import { type Blocking, findBlocker } from "./may-begin.ts"
import { prepareWorkspace } from "./prepare-workspace.ts"
import { recordStuck } from "./record-stuck.ts"
import { renewSession } from "./renew-session.ts"
import { findTask } from "./rows/find.ts"
import { findRunningJob } from "./rows/jobs/find.ts"
import type { Task } from "./rows/row.ts"
import { isSessionFree } from "./rows/sessions/find.ts"
import { beginTurn } from "./rows/turns/begin.ts"
import { interruptTurn } from "./rows/turns/end.ts"
import { findOpenTurn, hasBegunJob, type Turn } from "./rows/turns/find.ts"
import { postponeTurn } from "./rows/turns/postpone.ts"
import { SessionLog } from "./session-log.ts"
import { sessionStart } from "./session-start.ts"
import { SharedWorktrees } from "./shared-worktrees.ts"
import { lookAfterStashesOf } from "./stashes.ts"
import { TurnClock } from "./turn-clock.ts"

export async function runTurns(
  context: JobsContext,
  id: TaskId,
  signal: AbortSignal,
): Promise<void> {
  let turn = findOpenTurn(context.db, id)
  if (!turn || !hasFolders(context, id) || !isSessionFree(context.db, turn.session)) return
  if (await isBlocked(context, turn)) return
  try {
    refuseChangedSettings(context, id)
    await prepareWorkspace(context, id, signal)
    turn = await renewSession(context, turn)
    const end = await runSession(context, { id, turn }, signal)
    if (await context.fallbacks.takeOver(turn, end)) return
    if (end.kind === "stuck") await recordStuck(context, turn, { code: end.code, text: end.text })
    if (end.kind === "missing") await recordStuck(context, turn, { code: "failed", text: end.text })
    if (end.kind === "postponed" && !postpone(context, turn, end))
      await recordStuck(context, turn, {
        code: "api_unavailable",
        text: `it waited for ${end.text}`,
      })
  } catch (error) {
    if (isAbort(error, signal)) return
    if (isTransient(error)) throw error
    refuseGone(findTask(context.db, id)?.repos ?? [], error)
    const { code, message, hints } = toErrorDocument(error).error
    if (code === "bug") context.onBug(error)
    await recordStuck(context, turn, { code: "failed", text: [message, ...hints].join("\n") })
  }
}

/** The settings may have changed since the task was made. @throws {UnkeptError} (user) */
function refuseChangedSettings({ db, findAgent }: JobsContext, id: TaskId): void {
  const task = findTask(db, id)
  const agent = task && findAgent(task)
  if (agent) refuseUnkept(agent)
}

/**
 * A used-up budget stops the task; for the daily budget or the account's limit, it waits. A fallback takes
 * over from an account whose limit lasts too long.
 */
async function isBlocked(context: JobsContext, turn: Turn): Promise<boolean> {
  const blocker = findBlocker(context, turn.task)
  const { limitedUntilMs = 0, text = "" } = blocker?.kind === "postponed" ? blocker : {}
  const limited = { kind: "postponed", untilMs: limitedUntilMs, text } as const
  if (limitedUntilMs > 0 && (await context.fallbacks.takeOver(turn, limited))) return true
  if (blocker?.kind === "stuck")
    await recordStuck(context, turn, { code: "budget", text: blocker.text })
  if (blocker?.kind === "postponed") postponeTurn(context.db, turn, blocker, context.world.nowMs())
  return blocker !== undefined
}

/** A static folder takes one task at a time; the next one starts when it is free. */
function hasFolders({ db }: Rows, id: TaskId): boolean {
  const task = findTask(db, id)
  return task?.strategy !== "static" || claimFolders(db, task)
}

async function runSession(
  context: JobsContext,
  { id, turn }: { id: TaskId; turn: Turn },
  signal: AbortSignal,
): Promise<SessionEnd | ReturnType<typeof timedOut> | Missing> {
  const { db, world } = context
  const task = findTask(db, id)
  assert(task, "a task that runs is there")
  const agent = context.agentConfig(task)
  const runtime = context.runtime(agent)
  const missing = await runtime.unavailable()
  if (missing) return { kind: "missing", text: [missing.message, ...missing.hints].join("\n") }
  if (!isCurrent(context, turn)) return { kind: "aborted" }
  const refusal = hasBegunJob(db, turn) ? undefined : await beforeRun(context, task, signal)
  if (refusal !== undefined) return { kind: "stuck", code: "failed", text: refusal }
  if (!isCurrent(context, turn)) return { kind: "aborted" }

  const log = new SessionLog(context, id)
  const clock = new TurnClock(agent.session.timeoutMs)
  const stop = AbortSignal.any([signal, clock.signal])
  using worktrees = new SharedWorktrees(context, task, stop)
  using stashes = new PassingStashes(task.repos.map(({ path }) => path))
  const running = { task, agent, log, clock, worktrees, stashes, signal: stop }
  const start = sessionStart(context, running, turn)
  await worktrees.share()
  await lookAfterStashesOf(context, task)
  await context.exchangeCommits(id, { isEnd: false })
  beginTurn(db, turn, world.nowMs())
  clock.start()
  try {
    const end = await runtime.run(start)
    if (clock.signal.aborted) return timedOut(clock)
    return "text" in end ? { ...end, text: context.secrets.hide(id, end.text) } : end
  } finally {
    try {
      // Once its turn has ended, a landing may be moving or removing the worktrees.
      if (worktrees.isShared) await takeLeft(context, running)
    } finally {
      clock.pause()
      log.closeTurn()
      interruptTurn(db, turn, world.nowMs())
      const data = { session: turn.session }
      appendEvent(db, { type: "session.ended", task: id, data }, world.nowMs())
    }
  }
}

const HOOKS = { text: "its `before_run` hooks", unblock: "nothing: each has a time limit" }

const beforeRun = (context: JobsContext, task: Task, signal: AbortSignal) =>
  waitingFor(HOOKS, () => context.beforeRun(task, signal))

async function takeLeft(context: JobsContext, { task, log, stashes }: Running): Promise<void> {
  await lookAfterStashesOf(context, task, stashes)
  await context
    .exchangeCommits(task.id, { isEnd: false })
    .catch((error: unknown) => noteUntaken(log, error))
}

/** Commits that cannot be brought back stay with the agent; its next turn may mend them. */
function noteUntaken(log: SessionLog, error: unknown): void {
  if (!(error instanceof AppError) || error.blame === "bug") throw error
  log.push({ kind: "notice", text: error.message })
}

/** A person may have stopped the task while its worktree was made: then its job has ended. */
function isCurrent({ db }: Rows, { task, n }: Turn): boolean {
  return findRunningJob(db, task) !== undefined && findOpenTurn(db, task)?.n === n
}

const timedOut = ({ limitMs }: TurnClock) =>
  ({
    kind: "stuck",
    code: "timed_out",
    text: `a turn took longer than session.timeout (${limitMs / 1000} s)`,
  }) as const

/** Whether it is a requested interruption, not a failure. */
function isAbort(error: unknown, signal: AbortSignal): boolean {
  const isOurs = error === signal.reason || (error instanceof Error && error.name === "AbortError")
  return signal.aborted && isOurs
}

/** The first wait: an API that sends us away does not recover at once. */
const WAIT_MS_MIN = 30_000
/** The longest wait: a person notices that it works again within this time. */
const WAIT_MS_MAX = 15 * 60_000
/** About two hours of attempts in all; a longer outage needs another agent or a person. */
export const TRIES_MAX = 12

/**
 * Postpones a turn whose model is unavailable.
 *
 * @param first the turn that the session began with; the session may be at a later one now.
 * @returns false after too many attempts: the task is stuck then.
 */
export function postpone(
  context: Blocking & Pick<JobsContext, "fallbacks">,
  first: Turn,
  { untilMs, text }: Extract<SessionEnd, { kind: "postponed" }>,
): boolean {
  const { db, world } = context
  const turn = findOpenTurn(db, first.task)
  if (turn?.session !== first.session) return true // the turn ended after all
  const nowMs = world.nowMs()
  if (untilMs !== null) {
    const atMs = Math.max(untilMs, nowMs + WAIT_MS_MIN)
    return postponeTurn(db, turn, { atMs, text, isFailure: false }, nowMs)
  }
  if (turn.failures + 1 >= TRIES_MAX) return false
  const ceilingMs = Math.min(WAIT_MS_MAX, WAIT_MS_MIN * 2 ** turn.failures)
  const nextMs = nowMs + Math.floor((ceilingMs * (1 + world.dice())) / 2)
  // No later than a fallback may take over.
  const patienceMs = context.fallbacks.patienceMs(turn.task) ?? Number.POSITIVE_INFINITY
  const takesOverAtMs = (turn.failingSinceMs ?? nowMs) + patienceMs
  const atMs = takesOverAtMs > nowMs ? Math.min(nextMs, takesOverAtMs) : nextMs
  return postponeTurn(db, turn, { atMs, text, isFailure: true }, nowMs)
}
