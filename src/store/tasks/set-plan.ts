/** Keeps the plan that a task's agent wrote. */
import type { TaskId } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"

export function setPlan(db: Db, id: TaskId, plan: string): void {
  sql(db, "update tasks set plan = :plan where id = :id").run({ id, plan })
}
