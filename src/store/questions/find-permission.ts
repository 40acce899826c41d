/** Finds out whether a person allowed an agent to use a tool. */
import type { Question } from "../../core/question.ts"
import { ALLOW } from "../../core/question.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"

const FIND = `
  select 1 from questions
  where task = :task and kind = 'permission' and text = :text and subject = :subject
    and answer = '${ALLOW}'`

export function findPermission(
  db: Db,
  { task, text, subject }: Pick<Question, "task" | "text" | "subject">,
): boolean {
  const asked = { task, text, subject: JSON.stringify(subject) }
  return sql(db, FIND).find(asked) !== undefined
}
