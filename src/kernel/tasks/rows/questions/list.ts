/** Lists questions: those that wait for a person, and answers that wait for the agent. */
import type { TaskId } from "../../../../base/ids.ts"
import type { Db } from "../../../store/open.ts"
import { sql } from "../../../store/sql.ts"
import type { Question } from "../../rules/question.ts"
import { decodeQuestion, QUESTION_COLUMNS } from "./row.ts"

const FIND = `select ${QUESTION_COLUMNS} from questions where id = :id`

export function findQuestion(db: Db, id: number): Question | undefined {
  const row = sql(db, FIND).find({ id })
  return row && decodeQuestion(row)
}

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

/** Lists questions: those that wait for a person, and answers that wait for the agent. */
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

/** Only the latest: a prompt must stay readable. */
const ANSWERED_MAX = 20

const ANSWERED = `
  select * from (
    select ${QUESTION_COLUMNS} from questions
    where task = :task and answer is not null and kind <> 'proposal'
    order by id desc limit ${ANSWERED_MAX})
  order by id`

/** Only questions that agents waited for; oldest first. */
export function listAnswered(db: Db, task: TaskId): Question[] {
  return sql(db, ANSWERED).list({ task }).map(decodeQuestion)
}
