/**
 * Runs a task's open turn, and the turns that follow in the same process.
 *
 * A turn that a crash interrupted is still open. The agent gets it again in the same worktree and
 * the same conversation.
 */

import { setTimeout as delay } from "node:timers/promises"
import { assert } from "../core/assert.ts"
import { isTransient, toErrorDocument } from "../core/errors.ts"
import type { TaskId } from "../core/ids.ts"
import { hasTurns, type Reason } from "../core/task.ts"
import { NO_USAGE } from "../core/usage.ts"
import type { SessionEnd, SessionStart } from "../runtimes/runtime.ts"
import { appendEvent } from "../store/events.ts"
import { claimFolders } from "../store/folder-leases.ts"
import { findRunningJob } from "../store/jobs/find.ts"
import { isSessionFree } from "../store/sessions/find.ts"
import { transaction } from "../store/sql.ts"
import { findTask } from "../store/tasks/find.ts"
import { recordTask } from "../store/tasks/record.ts"
import { beginTurn } from "../store/turns/begin.ts"
import { endTurn, interruptTurn } from "../store/turns/end.ts"
import { findOpenTurn, type Turn } from "../store/turns/find.ts"
import { postponeTurn } from "../store/turns/postpone.ts"
import { isAbort } from "./abort.ts"
import type { JobsContext } from "./context.ts"
import { findBlocker } from "./may-begin.ts"
import { postpone } from "./postpone.ts"
import { prepareWorkspace } from "./prepare-workspace.ts"
import { renewSession } from "./renew-session.ts"
import { SessionLog } from "./session-log.ts"
import { sessionStart } from "./session-start.ts"
import { shareWorktrees } from "./share-worktrees.ts"

export async function runTurns(
  context: JobsContext,
  id: TaskId,
  signal: AbortSignal,
): Promise<void> {
  let turn = findOpenTurn(context.db, id)
  if (!turn || !hasFolders(context, id) || !isSessionFree(context.db, turn.session)) return
  if (isBlocked(context, turn)) return
  try {
    await context.taskLock.hold(id, () => prepareWorkspace(context, id, signal))
    turn = await renewSession(context, turn)
    const end = await runSession(context, { id, turn }, signal)
    if (end.kind === "stuck") recordStuck(context, turn, { code: end.code, text: end.text })
    if (end.kind === "postponed" && !postpone(context, turn, end))
      recordStuck(context, turn, { code: "api_unavailable", text: `it waited for ${end.text}` })
  } catch (error) {
    if (isAbort(error, signal)) return
    if (isTransient(error)) throw error
    const { code, message, hints } = toErrorDocument(error).error
    if (code === "bug") context.onBug(error)
    recordStuck(context, turn, { code: "failed", text: [message, ...hints].join("\n") })
  }
}

/** A used-up budget stops the task; for the daily budget or the account's limit, it waits. */
function isBlocked(context: JobsContext, turn: Turn): boolean {
  const blocker = findBlocker(context, turn.task)
  if (blocker?.kind === "stuck") recordStuck(context, turn, { code: "budget", text: blocker.text })
  if (blocker?.kind === "postponed") postponeTurn(context.db, turn, blocker, context.world.nowMs())
  return blocker !== undefined
}

/** A static folder takes one task at a time; the next one starts when it is free. */
function hasFolders({ db }: JobsContext, id: TaskId): boolean {
  const task = findTask(db, id)
  return task?.strategy !== "static" || claimFolders(db, task)
}

async function runSession(
  context: JobsContext,
  { id, turn }: { id: TaskId; turn: Turn },
  signal: AbortSignal,
): Promise<SessionEnd | ReturnType<typeof timedOut>> {
  const { db, world } = context
  const task = findTask(db, id)
  assert(task, "a task that runs is there")
  const agent = context.agentConfig(task.agent)
  const runtime = context.runtime(agent)
  const missing = await runtime.unavailable()
  if (missing)
    return { kind: "stuck", code: "failed", text: [missing.message, ...missing.hints].join("\n") }
  if (!isCurrent(context, turn)) return { kind: "aborted" }

  const timeLimit = new AbortController()
  const log = new SessionLog(context, id)
  const stop = AbortSignal.any([signal, timeLimit.signal])
  const start = sessionStart(context, { task, turn, log }, stop)
  const { timeoutMs } = agent.session
  using sharing = await shareWorktrees(context, task, start, stop)
  const limited = limitTurns(sharing.start, timeoutMs, () => timeLimit.abort())
  beginTurn(db, turn, world.nowMs())
  try {
    const end = await runtime.run(limited.start)
    return timeLimit.signal.aborted ? timedOut(timeoutMs) : end
  } finally {
    limited.stop()
    log.flush()
    interruptTurn(db, turn, world.nowMs())
    const data = { session: turn.session }
    appendEvent(db, { type: "session.ended", task: id, data }, world.nowMs())
  }
}

/** A person may have stopped the task while its worktree was made: then its job has ended. */
function isCurrent({ db }: JobsContext, { task, n }: Turn): boolean {
  return findRunningJob(db, task) !== undefined && findOpenTurn(db, task)?.n === n
}

const timedOut = (timeoutMs: number) =>
  ({
    kind: "stuck",
    code: "timed_out",
    text: `a turn took longer than session.timeout (${timeoutMs / 1000} s)`,
  }) as const

/** Limits the time of every turn; waiting for a verdict between two turns does not count. */
function limitTurns(start: SessionStart, timeoutMs: number, onLimit: () => void) {
  let clock = new AbortController()
  const wind = () => {
    clock = new AbortController()
    delay(timeoutMs, undefined, { signal: clock.signal, ref: false }).then(onLimit, () => {
      // the turn ended in time
    })
  }
  const turnEnded: SessionStart["turnEnded"] = async (end) => {
    clock.abort()
    const next = await start.turnEnded(end)
    if (next) wind()
    return next
  }
  wind()
  return { start: { ...start, turnEnded }, stop: () => clock.abort() }
}

/**
 * Stops the task where it is, unless its turn had already ended and only the landing goes on.
 *
 * @param first the turn that the session began with. A turn opened since for another session is
 *   left alone.
 */
function recordStuck({ db, world }: JobsContext, first: Turn, reason: Reason): void {
  transaction(db, () => {
    const nowMs = world.nowMs()
    const task = findTask(db, first.task)
    const turn = findOpenTurn(db, first.task)
    if (!task || !hasTurns(task.state) || turn?.session !== first.session) return
    endTurn(db, turn, { usage: NO_USAGE, message: null }, nowMs)
    recordTask(db, task, { event: "gotStuck", reason }, nowMs)
  })
}
