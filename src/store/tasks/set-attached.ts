/** Records the process in which a person has a task's conversation, or that there is none. */
import type { TaskId } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"
import type { Task } from "./row.ts"

export function setAttached(db: Db, id: TaskId, attached: Task["attached"]): void {
  const json = attached === null ? null : JSON.stringify(attached)
  sql(db, "update tasks set attached = :json where id = :id").run({ id, json })
}
