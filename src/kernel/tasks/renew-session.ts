/**
 * Moves a turn to a fresh conversation if the agent's program cannot resume the earlier one,
 * because the runtime or the account has changed. The fresh prompt includes what the agent needs to
 * know; the task's log says that the conversation is new.
 */

import { assert } from "../../base/assert.ts"
import { appendEvent } from "../store/events.ts"
import { appendLog } from "../store/log/append.ts"
import { transaction } from "../store/sql.ts"
import type { JobsContext, Rows } from "./context.ts"
import { type Fresh, freshPrompt } from "./prompts/fresh-conversation.ts"
import { planPrompt } from "./prompts/plan.ts"
import { findTask } from "./rows/find.ts"
import { continueJob } from "./rows/jobs/record.ts"
import { listAnswered } from "./rows/questions/list.ts"
import type { Task } from "./rows/row.ts"
import { findSession } from "./rows/sessions/find.ts"
import { findForkable } from "./rows/sessions/find-forkable.ts"
import { addSession, recordHolder } from "./rows/sessions/record.ts"
import { moveTurn } from "./rows/turns/begin.ts"
import { listTurns, type Turn } from "./rows/turns/find.ts"

type Prompting = Rows & Pick<JobsContext, "changedFiles" | "forks">
type Holding = Pick<JobsContext, "agentConfig" | "runtime" | "agentEnvironment">
type Renewing = Rows & Pick<JobsContext, "mintSessionId">

/** @returns the turn to run. */
export async function renewSession(
  context: Prompting & Holding & Renewing,
  turn: Turn,
): Promise<Turn> {
  const { db } = context
  const task = findTask(db, turn.task)
  const session = findSession(db, turn.session)
  assert(task && session, "a turn that runs has a task and a session")
  const heldBy = holderOf(context, task)
  const { usedAtMs, heldBy: before } = session
  if (usedAtMs === null || before === null || before === heldBy) {
    recordHolder(db, session.id, heldBy)
    const isCopy = session.forkOf === null || findForkable(db, session, heldBy) !== undefined
    return usedAtMs !== null || isCopy ? turn : await briefFork(context, task, turn)
  }
  return move(context, turn, { heldBy, before, prompt: await promptFor(context, task, turn) })
}

/** Another program holds the conversation that the fork would copy, or it is gone. */
async function briefFork(context: Prompting, task: Task, turn: Turn): Promise<Turn> {
  const { db, world } = context
  const prompt = await promptFor(context, task, turn)
  return transaction(db, () => {
    const briefed = moveTurn(db, turn, { session: turn.session, prompt })
    assert(briefed, "a turn that is about to run is open")
    const text = "The conversation to copy is unavailable: a new one begins, with a brief."
    appendLog(db, { task: task.id, turn: turn.n, kind: "notice", text }, world.nowMs())
    return briefed
  })
}

/** The prompt for a conversation that does not know what came before this turn. */
export async function promptFor(
  context: Prompting,
  task: Task,
  turn: Turn,
  stopped: Fresh["stopped"] = undefined,
): Promise<string> {
  const earlier = listTurns(context.db, task.id).filter(({ n }) => n < turn.n)
  const begins = earlier.every(({ session }) => session !== turn.session)
  const changes = await context.changedFiles(task)
  const phase = task.state === "planning" ? "planning" : "working"
  const answered = listAnswered(context.db, task.id)
  const wanted = phase === "planning" ? planPrompt(task.prompt) : task.prompt
  const brief = turn.n === 1 ? context.forks.brief(task.id, wanted) : undefined
  const next = brief ?? turn.prompt
  return freshPrompt({ ...task, changes, answered, next, begins, stopped }, phase)
}

function holderOf(context: Holding, task: Task): string {
  const agent = context.agentConfig(task)
  const [repo] = task.repos
  assert(repo, "a task has a repository")
  return context.runtime(agent).holder(context.agentEnvironment(task, repo.name))
}

type Move = { readonly heldBy: string; readonly before: string; readonly prompt: string }

function move(context: Renewing, turn: Turn, { heldBy, before, prompt }: Move): Turn {
  const { db, world } = context
  return transaction(db, () => {
    const nowMs = world.nowMs()
    const { task } = turn
    const session = context.mintSessionId()
    addSession(db, { id: session, job: continueJob(db, task, nowMs).id }, nowMs)
    recordHolder(db, session, heldBy)
    const moved = moveTurn(db, turn, { session, prompt })
    assert(moved, "a turn that is about to run is open")
    const text = `The earlier conversation was held with ${nameOf(before)}, and ${nameOf(heldBy)} now keeps its conversations in another place: a new one begins.`
    appendLog(db, { task, turn: turn.n, kind: "notice", text }, nowMs)
    const data = { session, before: turn.session }
    appendEvent(db, { type: "session.renewed", task, data }, nowMs)
    return moved
  })
}

const nameOf = (holder: string): string => holder.split(" ")[0] ?? holder
