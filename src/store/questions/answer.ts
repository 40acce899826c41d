/** Records a person's answer. */
import type { Question } from "../../core/question.ts"
import { appendEvent } from "../events/append.ts"
import type { Db } from "../open.ts"
import { sql, transaction } from "../sql.ts"

const ANSWER = `
  update questions set answer = :answer, answered_at = :nowMs
  where id = :id and answer is null and closed_at is null`

/** @returns false, and changes nothing, if it is no longer open. Event `question.answered`. */
export function answerQuestion(
  db: Db,
  { id, task }: Pick<Question, "id" | "task">,
  answer: string,
  nowMs: number,
): boolean {
  return transaction(db, () => {
    if (sql(db, ANSWER).run({ id, answer, nowMs }) === 0) return false
    const data = { question: id, answer }
    appendEvent(db, { type: "question.answered", task, data }, nowMs)
    return true
  })
}
