/**
 * Runs a task's open turn, and every turn that follows in the same process.
 *
 * A turn that a crash interrupted is still open, and is given to the agent again in the same
 * worktree and the same conversation.
 */
import { setTimeout as delay } from "node:timers/promises"
import { assert } from "../core/assert.ts"
import { AppError } from "../core/errors.ts"
import type { TaskId } from "../core/ids.ts"
import type { Reason } from "../core/task.ts"
import { NO_USAGE } from "../core/usage.ts"
import type { SessionEnd, SessionStart } from "../runtimes/runtime.ts"
import { appendEvent } from "../store/events/append.ts"
import { appendLog } from "../store/log/append.ts"
import { transaction } from "../store/sql.ts"
import { findTask } from "../store/tasks/find.ts"
import { recordTask } from "../store/tasks/record.ts"
import type { Task } from "../store/tasks/row.ts"
import { beginTurn } from "../store/turns/begin.ts"
import { endTurn } from "../store/turns/end.ts"
import { findOpenTurn } from "../store/turns/find-open.ts"
import { listTurns } from "../store/turns/list.ts"
import type { Turn } from "../store/turns/row.ts"
import { isAbort } from "./abort.ts"
import type { JobsContext } from "./context.ts"
import { prepareWorkspace } from "./prepare-workspace.ts"
import { systemPrompt } from "./system-prompt.ts"
import { turnEnded } from "./turn-ended.ts"

export async function runTurns(
  context: JobsContext,
  id: TaskId,
  signal: AbortSignal,
): Promise<void> {
  const turn = findOpenTurn(context.db, id)
  if (!turn) return
  try {
    await context.taskLock.hold(id, () => prepareWorkspace(context, id, signal))
    const end = await runSession(context, { id, turn }, signal)
    if (end.kind === "stuck") getStuck(context, id, { code: end.code, text: end.text })
  } catch (error) {
    if (isAbort(error, signal)) return
    if (!(error instanceof AppError) || error.blame === "bug" || error.transient) throw error
    getStuck(context, id, { code: "failed", text: [error.message, ...error.hints].join("\n") })
  }
}

async function runSession(
  context: JobsContext,
  { id, turn }: { id: TaskId; turn: Turn },
  signal: AbortSignal,
): Promise<SessionEnd> {
  const { db, world } = context
  const task = findTask(db, id)
  assert(task, "a task that runs is there")
  const runtime = context.runtime(context.agentConfig(task.agent))
  const missing = await runtime.unavailable()
  if (missing)
    return { kind: "stuck", code: "failed", text: [missing.message, ...missing.hints].join("\n") }

  const timeLimit = new AbortController()
  const start = await sessionStart(
    context,
    { task, turn },
    AbortSignal.any([signal, timeLimit.signal]),
  )
  const { timeoutMs } = context.agentConfig(task.agent).session
  const limited = limitTurns(start, timeoutMs, () => {
    getStuck(context, id, {
      code: "timed_out",
      text: `a turn took longer than ${timeoutMs / 60_000} min`,
    })
    timeLimit.abort()
  })
  beginTurn(db, turn, world.nowMs())
  try {
    return await runtime.run(limited.start)
  } finally {
    limited.stop()
    const data = { session: turn.session }
    appendEvent(db, { type: "session.ended", task: id, data }, world.nowMs())
  }
}

async function sessionStart(
  context: JobsContext,
  { task, turn }: { task: Task; turn: Turn },
  signal: AbortSignal,
): Promise<SessionStart> {
  const { db, world, owner } = context
  const [repo] = task.repos
  assert(repo?.worktree, "a workspace was set up before its agent starts")
  const { model, session, landing } = context.agentConfig(task.agent)
  const earlier = listTurns(db, task.id).filter((other) => other.session === turn.session)
  return {
    sessionId: turn.session,
    resume: earlier.some((other) => other.begunAtMs !== null),
    turn: { n: turn.n, prompt: turn.prompt, repeated: turn.begunAtMs !== null },
    cwd: repo.worktree,
    env: context.environment(task, repo.name),
    systemPrompt: await systemPrompt(context, task, repo),
    model,
    turnsMax: session.turnsMax,
    verdictMsMax: landing.hookWaitMs,
    signal,
    spawn: (command, args, options) =>
      owner.spawn(command, args, { ...options, purpose: "agent", task: task.id }),
    emit: ({ kind, text }) => {
      const n = findOpenTurn(db, task.id)?.n ?? turn.n
      appendLog(db, { task: task.id, turn: n, kind, text }, world.nowMs())
    },
    turnEnded: (end) => turnEnded(context, task.id, { end, signal }),
  }
}

/** Lays a time limit over every turn; waiting for a verdict between two of them does not count. */
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

/** Stops the task where it is, unless its turn had ended already and the landing goes on alone. */
function getStuck({ db, world }: JobsContext, id: TaskId, reason: Reason): void {
  transaction(db, () => {
    const nowMs = world.nowMs()
    const task = findTask(db, id)
    const turn = findOpenTurn(db, id)
    if (task?.state !== "working" || !turn) return
    endTurn(db, turn, { usage: NO_USAGE, message: null }, nowMs)
    recordTask(db, task, { event: "gotStuck", reason }, nowMs)
  })
}
