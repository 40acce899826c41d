/** Removes a task's row, with all rows that refer to it; its events stay. */
import { appendEvent } from "../events/append.ts"
import type { Db } from "../open.ts"
import { removeUnownedSessions } from "../sessions/remove-unowned.ts"
import { sql, transaction } from "../sql.ts"
import type { Task } from "./row.ts"

/** @param notices the things that stay, one sentence each. Event `task.deleted`. */
export function removeTask(
  db: Db,
  { id, title }: Pick<Task, "id" | "title">,
  notices: readonly string[],
  nowMs: number,
): void {
  transaction(db, () => {
    if (sql(db, "delete from tasks where id = :id").run({ id }) === 0) return
    removeUnownedSessions(db)
    appendEvent(db, { type: "task.deleted", task: id, data: { title, notices } }, nowMs)
  })
}
