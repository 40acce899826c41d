/** Restarts of failed tasks by Coppice: one, until a person starts the task again. */
import type { TaskId } from "../../../base/ids.ts"
import type { Db } from "../../store/open.ts"
import { sql } from "../../store/sql.ts"

const MAY_RESTART = `
  select 1 from tasks
  where id = :id and restarted = 0
    and deletion is null and attached is null and agent is not null`
const SET_RESTARTED = `
  update tasks set restarted = :restarted, stand_in = case when :restarted then stand_in end
  where id = :id`

/** Whether Coppice has not restarted the task since a person did, and no person has it now. */
export function mayRestart(db: Db, id: TaskId): boolean {
  return sql(db, MAY_RESTART).find({ id }) !== undefined
}

/**
 * Call it in the transaction that restarts the task.
 *
 * @param by after a person's restart, Coppice may restart it once more, and the first agent works
 *   again.
 */
export function recordRestart(db: Db, id: TaskId, by: "person" | "coppice"): void {
  sql(db, SET_RESTARTED).run({ id, restarted: by === "coppice" ? 1 : 0 })
}
