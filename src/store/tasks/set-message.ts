/** Keeps the last message of a task's agent. */
import type { TaskId } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"

export function setMessage(db: Db, id: TaskId, message: string): void {
  sql(db, "update tasks set last_message = :message where id = :id").run({ id, message })
}
