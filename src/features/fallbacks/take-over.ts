/**
 * Lets a fallback take over from an agent that is out of quota, refused, not installed, or unavailable
 * for longer than `fallback_after`.
 *
 * One transaction records who takes over, ends the job and its open turn, and opens the next turn in a new
 * job and conversation. The worktree stays as it is. The loop then runs that turn like any other, so a
 * crash loses nothing and runs nothing twice.
 */

import type { TaskId } from "../../base/ids.ts"
import { appendEvent } from "../../kernel/store/events.ts"
import { appendLog } from "../../kernel/store/log/append.ts"
import { transaction } from "../../kernel/store/sql.ts"
import type { Fallbacks, JobsContext, Unable } from "../../kernel/tasks/context.ts"
import { type Blocking, findLimit } from "../../kernel/tasks/may-begin.ts"
import { messageNowPrompt } from "../../kernel/tasks/prompts/messages.ts"
import { promptFor } from "../../kernel/tasks/renew-session.ts"
import { findTask } from "../../kernel/tasks/rows/find.ts"
import { replaceJob } from "../../kernel/tasks/rows/jobs/record.ts"
import { listMessagesOfTurn } from "../../kernel/tasks/rows/messages-now.ts"
import type { Task } from "../../kernel/tasks/rows/row.ts"
import { addSession } from "../../kernel/tasks/rows/sessions/record.ts"
import { setStandIn } from "../../kernel/tasks/rows/stand-in.ts"
import { closeTurn } from "../../kernel/tasks/rows/turns/end.ts"
import { findOpenTurn, type Turn } from "../../kernel/tasks/rows/turns/find.ts"
import { openTurn } from "../../kernel/tasks/rows/turns/open.ts"
import { CAUSES, type Cause, nextAgent } from "../../kernel/tasks/rules/fallback.ts"
import { NO_USAGE } from "../../kernel/tasks/rules/usage.ts"
import { hasTurns } from "../../kernel/tasks/rules.ts"
import { TRIES_MAX } from "../../kernel/tasks/run-turns.ts"

type TakingOver = Blocking & Pick<JobsContext, "changedFiles" | "forks" | "mintSessionId">

/** Why the agent of a turn cannot work. */
export type Inability = { readonly cause: Cause; readonly text: string }

export const fallbacksOf = (context: TakingOver): Fallbacks => ({
  takeOver: async (first, end) => {
    const inability = findInability(context, first, end)
    return inability !== undefined && (await takeOver(context, first, inability))
  },
  patienceMs: (task) => patienceOf(context, task),
})

/**
 * @param first the turn that the session began with; the session may be at a later one now.
 * @returns false, and changes nothing, if no other agent can have the turn.
 */
export async function takeOver(
  context: TakingOver,
  first: Turn,
  { cause, text }: Inability,
): Promise<boolean> {
  const { db } = context
  const task = findTask(db, first.task)
  const turn = findOpenTurn(db, first.task)
  if (!task || !hasTurns(task.state) || turn?.session !== first.session) return false
  const found = findNext(context, task, cause)
  if (!found) return false
  const { current, next, isFirst } = found
  const why = `${next} takes over from ${current}, which is ${CAUSES[cause]}: ${text}`
  const reason = { code: "api_unavailable", text: why } as const
  const brief = await promptFor(context, task, turn, { reason, lastMessage: task.lastMessage })
  const said = listMessagesOfTurn(db, turn) // messages that joined the turn that ends now
  const phase = task.state === "planning" ? "planning" : "working"
  const prompt = said.length > 0 ? `${brief}\n\n${messageNowPrompt(said, phase)}` : brief
  return transaction(db, () => {
    const now = findTask(db, task.id)
    if (now?.state !== task.state || findOpenTurn(db, task.id)?.n !== turn.n) return false
    setStandIn(db, task.id, isFirst ? null : { agent: next, cause, text })
    openNext(context, turn, prompt)
    const { id } = task
    const nowMs = context.world.nowMs()
    appendLog(db, { task: id, turn: turn.n, kind: "notice", text: why }, nowMs)
    const data = { from: current, to: next, cause, text }
    appendEvent(db, { type: "agent.replaced", task: id, data }, nowMs)
    return true
  })
}

function openNext({ db, world, mintSessionId }: TakingOver, turn: Turn, prompt: string): void {
  const nowMs = world.nowMs()
  const { task } = turn
  const session = mintSessionId()
  closeTurn(db, turn, { usage: NO_USAGE, message: null }, nowMs)
  addSession(db, { id: session, job: replaceJob(db, task, nowMs).id }, nowMs)
  openTurn(db, { task, session, prompt }, nowMs)
}

/** A review stays with its reviewer: its approval is that agent's word. */
function findNext(context: TakingOver, task: Task, cause: Cause) {
  const agentNamed = (name: string | null) =>
    context.findAgent({ ...task, standIn: name === null ? null : { agent: name } })
  const first = agentNamed(null)
  const current = context.findAgent(task)
  if (!first || !current || task.reviewOf !== null) return undefined
  const isLimited = (name: string) => {
    const agent = agentNamed(name)
    return !agent || findLimit(context, agent) !== undefined
  }
  const agents = [first.name, ...first.fallback]
  const next = nextAgent({ agents, current: current.name, cause, isLimited })
  return next === undefined
    ? undefined
    : { current: current.name, next, isFirst: next === first.name }
}

/** @returns undefined if its agent can work, or if no fallback may take over yet. */
export function findInability(context: Blocking, first: Turn, end: Unable): Inability | undefined {
  const { db, world } = context
  const turn = findOpenTurn(db, first.task)
  const patienceMs = patienceOf(context, first.task)
  if (!turn || patienceMs === undefined || end.kind === "ended" || end.kind === "aborted")
    return undefined
  const { kind, text } = end
  if (kind === "missing") return { cause: "missing", text }
  if (kind === "stuck") return end.code === "api_refused" ? { cause: "refused", text } : undefined
  const nowMs = world.nowMs()
  const waits = `it waits for ${text}`
  if (end.untilMs !== null)
    return end.untilMs - nowMs > patienceMs ? { cause: "limit", text: waits } : undefined
  const isOver =
    turn.failures + 1 >= TRIES_MAX || nowMs - (turn.failingSinceMs ?? nowMs) >= patienceMs
  return isOver ? { cause: "unavailable", text: waits } : undefined
}

function patienceOf(context: Pick<Blocking, "db" | "findAgent">, id: TaskId): number | undefined {
  const task = findTask(context.db, id)
  const agent = task && context.findAgent(task)
  if (!agent || agent.fallback.length === 0 || task.reviewOf !== null) return undefined
  return agent.fallbackAfterMs
}
