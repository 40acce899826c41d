/** Finds one task. */
import type { TaskId } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"
import { decodeTask, TASK_COLUMNS, TASK_REPO_COLUMNS, type Task } from "./row.ts"

const FIND = `select ${TASK_COLUMNS} from tasks where id = :id`
const REPOS = `select ${TASK_REPO_COLUMNS} from task_repos where task = :id order by rowid`

export function findTask(db: Db, id: TaskId): Task | undefined {
  const row = sql(db, FIND).find({ id })
  return row && decodeTask(row, sql(db, REPOS).list({ id }))
}
