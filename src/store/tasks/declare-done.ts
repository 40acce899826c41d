/** Notes that a task's agent declared it done. Its next turn takes that back. */
import type { TaskId } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"

export function declareDone(db: Db, id: TaskId): void {
  sql(db, "update tasks set declared_done = 1 where id = :id").run({ id })
}
