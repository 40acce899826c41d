/**
 * Asks a person something on behalf of an agent, and waits a while for the answer.
 *
 * The agent process waits up to `waitMsMax`. After that it is asked to stop. The answer then opens
 * its next turn in the same conversation, so no process has to wait.
 */

import type { TaskId } from "../../base/ids.ts"
import { transaction } from "../store/sql.ts"
import { untilStored } from "../store/wait-until.ts"
import type { Rows } from "./context.ts"
import { findTask } from "./rows/find.ts"
import {
  askQuestion,
  findAsked,
  type QuestionToAsk,
  recordDelivered,
} from "./rows/questions/ask.ts"
import { findQuestion, listOpenQuestions } from "./rows/questions/list.ts"
import { findOpenTurn } from "./rows/turns/find.ts"
import { isAwaited, type Question } from "./rules/question.ts"
import { hasTurns } from "./rules.ts"

export type Reply =
  | { readonly kind: "answered"; readonly answer: string }
  /** There was no answer in time: the agent stops now and gets the answer in a later turn. */
  | { readonly kind: "later" }
  /** The task has no open turn, so the caller is not, or is no longer, its agent. */
  | { readonly kind: "refused" }
  | { readonly kind: "tooMany" }

/** Open questions per task; a person would not read more. */
export const QUESTIONS_MAX = 20

export async function askPerson(
  { db, world }: Rows,
  asked: Omit<QuestionToAsk, "turn">,
  { waitMsMax, signal }: { readonly waitMsMax: number; readonly signal: AbortSignal },
): Promise<Reply> {
  const question = transaction(db, () => {
    const turn = findOpenTurn(db, asked.task)
    if (!turn || !isAtWork(db, asked.task)) return "refused"
    const isNew = findAsked(db, { ...asked, turn: turn.n }) === undefined
    const open = listOpenQuestions(db, asked.task).filter(isAwaited)
    if (isNew && open.length >= QUESTIONS_MAX) return "tooMany"
    return askQuestion(db, { ...asked, turn: turn.n }, world.nowMs())
  })
  if (typeof question === "string") return { kind: question }
  const take = () => takeAnswer({ db, world }, question)
  const limit = AbortSignal.any([signal, AbortSignal.timeout(waitMsMax)])
  return (await untilStored(db, take, limit)) ?? { kind: "later" }
}

/** Returns the answer and records it as delivered, so that no later turn repeats it. */
function takeAnswer({ db, world }: Rows, { id, task }: Question): Reply | "pending" {
  return transaction(db, () => {
    const found = findQuestion(db, id)
    if (!found || found.closedAtMs !== null || !isAtWork(db, task)) return { kind: "refused" }
    if (found.answer === null) return "pending"
    recordDelivered(db, [found], world.nowMs())
    return { kind: "answered", answer: found.answer }
  })
}

function isAtWork(db: Rows["db"], task: TaskId): boolean {
  const found = findTask(db, task)
  return found !== undefined && hasTurns(found.state)
}
