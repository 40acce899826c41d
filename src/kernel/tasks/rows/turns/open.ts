/** Opens a task's turns: prompts for its agent. */
import { assert } from "../../../../base/assert.ts"
import type { TaskId } from "../../../../base/ids.ts"
import { appendEvent } from "../../../store/events.ts"
import type { Db } from "../../../store/open.ts"
import { sql, transaction } from "../../../store/sql.ts"
import { repliesPrompt } from "../../prompts/messages.ts"
import { findTask } from "../find.ts"
import { continueJob } from "../jobs/record.ts"
import { takeUndelivered } from "../messages.ts"
import { latestSession } from "../sessions/find.ts"
import { joinSession } from "../sessions/record.ts"
import { decodeTurn, findOpenTurn, TURN_COLUMNS, type Turn } from "./find.ts"

export type TurnToOpen = Pick<Turn, "task" | "session" | "prompt">

const OPEN = `
  insert into turns (task, n, session, prompt, job)
  select :task, coalesce(max(n), 0) + 1, :session, :prompt,
    (select id from jobs where task = :task and state = 'running')
  from turns where task = :task
  returning ${TURN_COLUMNS}`
const AGENT = "select agent from sessions where id = :session"

/**
 * Opens a turn; event `turn.opened`.
 *
 * @throws if the task has an open turn: the database refuses a second one.
 */
export function openTurn(db: Db, { task, session, prompt }: TurnToOpen, nowMs: number): Turn {
  return transaction(db, () => {
    const turn = decodeTurn(sql(db, OPEN).read({ task, session, prompt }))
    const { agent } = sql(db, AGENT).read({ session })
    appendEvent(db, { type: "turn.opened", task, data: { n: turn.n, session, agent } }, nowMs)
    return turn
  })
}

type NextTurn = { readonly task: TaskId; readonly prompt: string }

/**
 * Opens the next turn of a task's conversation. Every message to an agent goes this way.
 *
 * Uses the latest session, and the running job or a new one. An agent that still waits in its Stop hook
 * takes the turn at once; otherwise the jobs loop resumes the session with it.
 *
 * @throws if the task has an open turn: the database refuses a second one.
 */
export function openNextTurn(db: Db, { task, prompt }: NextTurn, nowMs: number): Turn {
  return transaction(db, () => {
    const session = latestSession(db, task)
    assert(session, "a task whose agent is given a next turn has a session")
    const { id: job } = continueJob(db, task, nowMs)
    joinSession(db, { id: session.id, job })
    return openTurn(db, { task, session: session.id, prompt }, nowMs)
  })
}

/**
 * Opens a turn that delivers all messages and answers of people to an agent.
 *
 * The turn uses the same session. @returns whether a turn now delivers them all.
 */
export function openReplyTurn(db: Db, task: TaskId, nowMs: number): boolean {
  return transaction(db, () => {
    if (!latestSession(db, task) || findOpenTurn(db, task)) return false
    const phase = findTask(db, task)?.state === "planning" ? "planning" : "working"
    const prompt = repliesPrompt(takeUndelivered(db, task, nowMs), phase)
    if (prompt === "") return false
    openNextTurn(db, { task, prompt }, nowMs)
    return true
  })
}
