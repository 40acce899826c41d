/** Lists the latest tasks by id, title and state, for the completion of a command line. */
import type { Db } from "../../store/open.ts"
import { sql } from "../../store/sql.ts"

export type TaskTitle = { readonly id: number; readonly title: string; readonly state: string }

const LIST = "select id, title, state from tasks order by id desc limit :max"

/** The newest task first. */
export function listTaskTitles(db: Db, max: number): TaskTitle[] {
  return sql(db, LIST).list({ max }) as TaskTitle[]
}
