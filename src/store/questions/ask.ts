/** Asks a person something on behalf of an agent. */
import type { Question } from "../../core/question.ts"
import { appendEvent } from "../events/append.ts"
import type { Db } from "../open.ts"
import { sql, transaction } from "../sql.ts"
import { decodeQuestion, QUESTION_COLUMNS } from "./row.ts"

export type QuestionToAsk = Pick<
  Question,
  "task" | "turn" | "kind" | "text" | "choices" | "subject"
>

const FIND = `
  select ${QUESTION_COLUMNS} from questions
  where task = :task and kind = :kind and text = :text and subject = :subject
    and (answer is null or told_at is null)`

const ASK = `
  insert into questions (task, turn, kind, text, choices, subject, asked_at)
  values (:task, :turn, :kind, :text, :choices, :subject, :nowMs)
  returning ${QUESTION_COLUMNS}`

/**
 * Asks; event `question.asked`. An agent that was interrupted asks again: it finds the question that
 * is open, or the answer that it has not been given yet.
 */
export function askQuestion(db: Db, asked: QuestionToAsk, nowMs: number): Question {
  const { task, turn, kind, text } = asked
  return transaction(db, () => {
    const subject = JSON.stringify(asked.subject ?? null)
    const found = sql(db, FIND).find({ task, kind, text, subject })
    if (found) return decodeQuestion(found)
    const choices = JSON.stringify(asked.choices)
    const row = sql(db, ASK).read({ task, turn, kind, text, choices, subject, nowMs })
    const question = decodeQuestion(row)
    const data = { question: question.id, kind, text, choices: asked.choices }
    appendEvent(db, { type: "question.asked", task, data }, nowMs)
    return question
  })
}
