/** Keeps the last thing that a task's agent said. */
import type { TaskId } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"

export function setMessage(db: Db, id: TaskId, message: string): void {
  sql(db, "update tasks set last_message = :message where id = :id").run({ id, message })
}
