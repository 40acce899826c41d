/** Restarts of failed tasks by Coppice: one, until a person starts the task again. */
import type { TaskId } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"

const RESTARTABLE = `
  select id from tasks
  where state = 'stuck' and restarted = 0 and reason_code in ('failed', 'died', 'timed_out')
    and deletion is null and attached is null and agent is not null order by id`
const SET_RESTARTED = `
  update tasks set restarted = :restarted, stand_in = case when :restarted then stand_in end
  where id = :id`

/** Tasks that failed without a need for a decision, and were not restarted by Coppice since. */
export function listRestartable(db: Db): TaskId[] {
  return sql(db, RESTARTABLE)
    .list()
    .map(({ id }) => id as TaskId)
}

/**
 * Call it in the transaction that restarts the task, or when Coppice cannot restart it.
 *
 * @param by after a person's restart, Coppice may restart it once more, and the first agent works
 *   again.
 */
export function recordRestart(db: Db, id: TaskId, by: "person" | "coppice"): void {
  sql(db, SET_RESTARTED).run({ id, restarted: by === "coppice" ? 1 : 0 })
}
