/** A question as stored, and back. */

import type { SqlRow } from "../../../store/sql.ts"
import type { Question } from "../../rules/question.ts"

export const QUESTION_COLUMNS = `
  id, task, turn, kind, text, choices, subject, asked_at as askedAtMs, answer,
  answered_at as answeredAtMs, closed_at as closedAtMs`

export function decodeQuestion({ choices, subject, ...rest }: SqlRow): Question {
  const parsed = { choices: JSON.parse(String(choices)), subject: JSON.parse(String(subject)) }
  return { ...rest, ...parsed } as unknown as Question
}
