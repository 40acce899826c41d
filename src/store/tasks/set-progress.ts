/** Keeps the progress report of an agent while a turn of its task is open. */
import type { TaskId } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"

const SET = `
  update tasks set last_message = :text
  where id = :task and exists (select 1 from turns where task = :task and ended_at is null)
  returning (select n from turns where task = :task and ended_at is null) as turn`

/** @returns the turn; undefined if none is open, so that an agent's last message stays the last. */
export function setProgress(db: Db, task: TaskId, text: string): number | undefined {
  return sql(db, SET).find({ task, text })?.["turn"] as number | undefined
}
