/** Closes the questions of an agent whose conversation is over, since no agent waits for an answer. */
import type { TaskId } from "../../core/ids.ts"
import type { Question } from "../../core/question.ts"
import { appendEvent } from "../events/append.ts"
import type { Db } from "../open.ts"
import { sql, transaction } from "../sql.ts"
import { decodeQuestion, QUESTION_COLUMNS } from "./row.ts"

const CLOSE = `
  update questions set closed_at = :nowMs
  where task = :task and answer is null and closed_at is null and kind <> 'proposal'
  returning ${QUESTION_COLUMNS}`

/**
 * A proposal stays open: it is for a person, and no agent waits for it.
 *
 * Event `question.closed` for each. @returns the questions that were open, oldest first.
 */
export function closeQuestions(db: Db, task: TaskId, nowMs: number): Question[] {
  return transaction(db, () => {
    const rows = sql(db, CLOSE).list({ task, nowMs }).map(decodeQuestion)
    const closed = rows.toSorted((a, b) => a.id - b.id)
    for (const { id: question, text } of closed)
      appendEvent(db, { type: "question.closed", task, data: { question, text } }, nowMs)
    return closed
  })
}
