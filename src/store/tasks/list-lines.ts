/** Lists all tasks with as much as one line says of each: for a list that people wait for. */
import type { Landing } from "../landings/row.ts"
import type { Db } from "../open.ts"
import { type SqlRow, sql } from "../sql.ts"
import { decodeReason, type Task } from "./row.ts"

export type TaskLine = Pick<Task, "id" | "title" | "agent" | "state" | "reason"> &
  Pick<Task, "workItem" | "strategy" | "createdAtMs"> & {
    /** The latest of a task that is merging; null otherwise. */
    readonly landing: Pick<Landing, "state" | "outcome"> | null
  }

const LIST = `
  select tasks.id, title, agent, work_item as workItem, strategy, tasks.state, reason_code as reasonCode,
    reason_text as reasonText, tasks.created_at as createdAtMs, landings.state as landingState, landings.outcome
  from tasks left join landings
    on tasks.state = 'merging' and landings.id = (select max(id) from landings where task = tasks.id)
  order by tasks.id`

/** Every task, newest last. */
export function listTaskLines(db: Db): TaskLine[] {
  return sql(db, LIST).list().map(decodeTaskLine)
}

function decodeTaskLine(row: SqlRow): TaskLine {
  const { reasonCode, reasonText, landingState, outcome, ...rest } = row
  const reason = decodeReason(reasonCode, reasonText)
  const landing = landingState === null ? null : { state: landingState, outcome }
  return { ...rest, reason, landing } as TaskLine
}
