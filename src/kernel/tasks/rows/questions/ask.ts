/** Asks a person, and records the answer. */
import type { TaskId } from "../../../../base/ids.ts"
import { listAbove } from "../../../../features/sub-tasks/rows/family.ts"
import { appendEvent } from "../../../store/events.ts"
import type { Db } from "../../../store/open.ts"
import { sql, transaction } from "../../../store/sql.ts"
import { ALLOW, type Question } from "../../rules/question.ts"
import { decodeQuestion, QUESTION_COLUMNS } from "./row.ts"

export type QuestionToAsk = Pick<
  Question,
  "task" | "turn" | "kind" | "text" | "choices" | "subject"
>

/** A prompt delivers an answer while no turn is open. */
const TOLD_BEFORE = `
  select 1 from turns where turns.task = questions.task and n = :turn and (
    questions.turn = n and told_at < given_at
    or told_at <= given_at and told_at >= (
      select max(ended_at) from turns earlier where earlier.task = turns.task and n < :turn))`
const FIND = `
  select ${QUESTION_COLUMNS} from questions
  where task = :task and kind = :kind and text = :text and subject = :subject
    and closed_at is null and (answer is null or told_at is null or exists (${TOLD_BEFORE}))
  order by id limit 1`
const TELL_AGAIN = "update questions set told_at = null where id = :id"

const ASK = `
  insert into questions (task, turn, kind, text, choices, subject, asked_at)
  values (:task, :turn, :kind, :text, :choices, :subject, :nowMs)
  returning ${QUESTION_COLUMNS}`

/**
 * Finds the earlier question of an interrupted agent that asks again: an open one, or an answer that it
 * has not received. Also an answer from before the same turn began again, or in this turn's prompt: a
 * program that starts fresh with each turn asks again.
 */
export function findAsked(db: Db, { choices: _, ...asked }: QuestionToAsk): Question | undefined {
  const row = sql(db, FIND).find({ ...asked, subject: JSON.stringify(asked.subject ?? null) })
  return row && decodeQuestion(row)
}

/** Asks, unless the question exists; event `question.asked`, and `sub_task.asked` for each task above. */
export function askQuestion(db: Db, asked: QuestionToAsk, nowMs: number): Question {
  const { task, turn, kind, text } = asked
  return transaction(db, () => {
    const found = findAsked(db, asked)
    if (found) {
      sql(db, TELL_AGAIN).run({ id: found.id })
      return found
    }
    const subject = JSON.stringify(asked.subject ?? null)
    const choices = JSON.stringify(asked.choices)
    const row = sql(db, ASK).read({ task, turn, kind, text, choices, subject, nowMs })
    const question = decodeQuestion(row)
    const data = { question: question.id, kind, text, choices: asked.choices }
    appendEvent(db, { type: "question.asked", task, data }, nowMs)
    for (const above of listAbove(db, task))
      appendEvent(db, { type: "sub_task.asked", task: above, data: { ...data, by: task } }, nowMs)
    return question
  })
}

const FIND_PERMISSION = `
  select 1 from questions
  where task = :task and kind = 'permission' and text = :text and subject = :subject
    and answer = '${ALLOW}'`

export function findPermission(
  db: Db,
  { task, text, subject }: Pick<Question, "task" | "text" | "subject">,
): boolean {
  const asked = { task, text, subject: JSON.stringify(subject) }
  return sql(db, FIND_PERMISSION).find(asked) !== undefined
}

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

const CLOSE = `
  update questions set closed_at = :nowMs
  where task = :task and answer is null and closed_at is null and kind <> 'proposal'
  returning ${QUESTION_COLUMNS}`

/**
 * Closes the questions of an agent whose conversation is over, since no agent waits for an answer.
 *
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

const TELL = "update questions set told_at = :nowMs where id = :id and told_at is null"

export function recordDelivered(
  db: Db,
  questions: readonly Pick<Question, "id">[],
  nowMs: number,
): void {
  for (const { id } of questions) sql(db, TELL).run({ id, nowMs })
}
