/** Lists questions: those that wait for a person, and answers that wait for the agent. */
import type { TaskId } from "../../core/ids.ts"
import type { Question } from "../../core/question.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"
import { decodeQuestion, QUESTION_COLUMNS } from "./row.ts"

const OPEN = `
  select ${QUESTION_COLUMNS} from questions
  where task = :task and answer is null and closed_at is null order by id`
const ALL = `select ${QUESTION_COLUMNS} from questions
  where task = :task and closed_at is null order by id`
const OPEN_OF_ALL = `
  select ${QUESTION_COLUMNS} from questions
  where answer is null and closed_at is null order by id`
const UNTOLD = `
  select ${QUESTION_COLUMNS} from questions
  where task = :task and answer is not null and told_at is null and kind <> 'proposal' order by id`
const TELL = "update questions set told_at = :nowMs where id = :id and told_at is null"

export function listOpenQuestions(db: Db, task: TaskId): Question[] {
  return sql(db, OPEN).list({ task }).map(decodeQuestion)
}

/** Includes answered questions, but not closed ones. */
export function listQuestions(db: Db, task: TaskId): Question[] {
  return sql(db, ALL).list({ task }).map(decodeQuestion)
}

/** By task. */
export function listAllOpenQuestions(db: Db): ReadonlyMap<TaskId, readonly Question[]> {
  return Map.groupBy(sql(db, OPEN_OF_ALL).list().map(decodeQuestion), ({ task }) => task)
}

/** Answers that the agent has not received. */
export function listUndeliveredAnswers(db: Db, task: TaskId): Question[] {
  return sql(db, UNTOLD).list({ task }).map(decodeQuestion)
}

/** Records that the agent has received these answers. */
export function recordDelivered(
  db: Db,
  questions: readonly Pick<Question, "id">[],
  nowMs: number,
): void {
  for (const { id } of questions) sql(db, TELL).run({ id, nowMs })
}
