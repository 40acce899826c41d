/** Finds tasks with more records than must be kept, a page at a time. */
import type { TaskId } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"
import { KEPT_EVENT, REMOVED_EVENT } from "../tasks/list-due.ts"

export type TaskScan = {
  /** Only tasks with a greater id; 0 for all. */
  readonly after: number
  /** Ms since the epoch: tasks that changed later keep everything. */
  readonly before: number
  /** Whether jobs, and with them sessions and turns, go too. */
  readonly sessions: boolean
}

export type ScannedTasks = {
  readonly found: readonly TaskId[]
  /** Start of the next page; undefined after the last. */
  readonly last: number | undefined
}

/** About a millisecond of SQLite's time. */
const PAGE_MAX = 500

/** Clean-up finds a cancelled task by its jobs, so the task keeps them until then. */
const SCAN = `
  select id,
    state in ('complete', 'cancelled') and updated_at < :before
    and (exists (select 1 from log_lines where task = page.id)
      or exists (select 1 from events
        where task = page.id and type not in ('${KEPT_EVENT}', '${REMOVED_EVENT}'))
      or (:sessions and exists (select 1 from jobs where task = page.id)))
    and (state = 'complete' or exists (select 1 from events
      where task = page.id and type in ('${KEPT_EVENT}', '${REMOVED_EVENT}'))
      or not exists (select 1 from jobs where task = page.id)) as isOld
  from (select id, state, updated_at from tasks
    where id > :after order by id limit ${PAGE_MAX}) page
  order by id`

export function scanTasks(db: Db, { after, before, sessions }: TaskScan): ScannedTasks {
  const rows = sql(db, SCAN).list({ after, before, sessions: sessions ? 1 : 0 })
  const old = rows.filter(({ isOld }) => isOld === 1)
  const last = rows.at(-1)?.["id"] as number | undefined
  return { found: old.map(({ id }) => id as TaskId), last }
}
