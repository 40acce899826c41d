/** Records that events or log lines were deleted, to inform followers. */
import type { TaskId } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"

export type Forgotten = {
  /** 0 for events without a task, or of a deleted one. */
  readonly task: TaskId | 0
  /** The last deleted event, or 0; the same for log lines. */
  readonly eventsTo: number
  readonly logTo: number
}

const NOTE = `
  insert into forgotten (task, events_to, log_to, at) values (:task, :eventsTo, :logTo, :nowMs)
  on conflict (task) do update set
    events_to = max(events_to, :eventsTo), log_to = max(log_to, :logTo), at = :nowMs`

export function noteForgotten(db: Db, { task, eventsTo, logTo }: Forgotten, nowMs: number): void {
  sql(db, NOTE).run({ task, eventsTo, logTo, nowMs })
}
