/** Lists what a person has answered on a task, for a conversation that begins anew. */
import type { TaskId } from "../../core/ids.ts"
import type { Question } from "../../core/question.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"
import { decodeQuestion, QUESTION_COLUMNS } from "./row.ts"

/** The latest: a prompt is to be read. */
const ANSWERED_MAX = 20

const ANSWERED = `
  select * from (
    select ${QUESTION_COLUMNS} from questions
    where task = :task and answer is not null and kind <> 'proposal'
    order by id desc limit ${ANSWERED_MAX})
  order by id`

/** Of what its agents have waited for; oldest first. */
export function listAnswered(db: Db, task: TaskId): Question[] {
  return sql(db, ANSWERED).list({ task }).map(decodeQuestion)
}
