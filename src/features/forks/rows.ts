/** Forks: tasks whose conversation begins as a copy of another one's (`--fork`). */
import type { TaskId } from "../../base/ids.ts"
import type { Db } from "../../kernel/store/open.ts"
import { sql } from "../../kernel/store/sql.ts"

const FIND_FORKED = "select depends_on as id from dependencies where task = :task and forks = 1"

/** The task whose conversation this one's begins with. */
export const findForked = (db: Db, task: TaskId): TaskId | undefined =>
  sql(db, FIND_FORKED).find({ task })?.["id"] as TaskId | undefined
