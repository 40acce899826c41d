/**
 * Asks a person something on behalf of an agent, and waits for the answer a while.
 *
 * The agent is kept as long as `waitMsMax`. Then it is told to stop, and needs no process until the
 * answer opens its next turn, in the same conversation.
 */
import type { TaskId } from "../core/ids.ts"
import { isAwaited, type Question } from "../core/question.ts"
import { askQuestion, findAsked, type QuestionToAsk } from "../store/questions/ask.ts"
import { findQuestion } from "../store/questions/find.ts"
import { listOpenQuestions, recordDelivered } from "../store/questions/list.ts"
import { transaction } from "../store/sql.ts"
import { findTask } from "../store/tasks/find.ts"
import { findOpenTurn } from "../store/turns/find-open.ts"
import { untilStored } from "../store/until.ts"
import type { JobsContext } from "./context.ts"

export type Asked =
  | { readonly kind: "answered"; readonly answer: string }
  /** Nobody has answered in time: the agent shall stop, and is given the answer later. */
  | { readonly kind: "later" }
  /** No turn of the task is open: whoever asks is not its agent, or not any more. */
  | { readonly kind: "refused" }
  | { readonly kind: "tooMany" }

/** Of one task, open at a time: nobody reads more. */
export const QUESTIONS_MAX = 20

type Rows = Pick<JobsContext, "db" | "world">

export async function askPerson(
  { db, world }: Rows,
  asked: Omit<QuestionToAsk, "turn">,
  { waitMsMax, signal }: { readonly waitMsMax: number; readonly signal: AbortSignal },
): Promise<Asked> {
  const question = transaction(db, () => {
    const turn = findOpenTurn(db, asked.task)
    if (!turn || !isAtWork(db, asked.task)) return "refused"
    const isNew = findAsked(db, { ...asked, turn: turn.n }) === undefined
    const open = listOpenQuestions(db, asked.task).filter(isAwaited)
    if (isNew && open.length >= QUESTIONS_MAX) return "tooMany"
    return askQuestion(db, { ...asked, turn: turn.n }, world.nowMs())
  })
  if (typeof question === "string") return { kind: question }
  const look = () => tell({ db, world }, question)
  const limit = AbortSignal.any([signal, AbortSignal.timeout(waitMsMax)])
  return (await untilStored(db, look, limit)) ?? { kind: "later" }
}

/** The answer, which counts as given from here on; an answer that a turn has told is not given twice. */
function tell({ db, world }: Rows, { id, task }: Question): Asked | "pending" {
  return transaction(db, () => {
    const found = findQuestion(db, id)
    if (!found || found.closedAtMs !== null || !isAtWork(db, task)) return { kind: "refused" }
    if (found.answer === null) return "pending"
    recordDelivered(db, [found], world.nowMs())
    return { kind: "answered", answer: found.answer }
  })
}

function isAtWork(db: Rows["db"], task: TaskId): boolean {
  const state = findTask(db, task)?.state
  return state === "working" || state === "planning"
}
