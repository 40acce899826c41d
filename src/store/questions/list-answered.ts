/** Lists the answered questions of a task, for a fresh conversation. */
import type { TaskId } from "../../core/ids.ts"
import type { Question } from "../../core/question.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"
import { decodeQuestion, QUESTION_COLUMNS } from "./row.ts"

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
