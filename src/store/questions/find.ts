/** Finds a question by its number. */
import type { Question } from "../../core/question.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"
import { decodeQuestion, QUESTION_COLUMNS } from "./row.ts"

const FIND = `select ${QUESTION_COLUMNS} from questions where id = :id`

export function findQuestion(db: Db, id: number): Question | undefined {
  const row = sql(db, FIND).find({ id })
  return row && decodeQuestion(row)
}
