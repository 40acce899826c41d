/** Opens the next turn of a task's conversation. Every message to an agent goes this way. */
import { assert } from "../../core/assert.ts"
import type { TaskId } from "../../core/ids.ts"
import { continueJob } from "../jobs/continue.ts"
import type { Db } from "../open.ts"
import { joinSession } from "../sessions/join.ts"
import { latestSession } from "../sessions/latest.ts"
import { transaction } from "../sql.ts"
import { openTurn } from "./open.ts"
import type { Turn } from "./row.ts"

type NextTurn = { readonly task: TaskId; readonly prompt: string }

/**
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
