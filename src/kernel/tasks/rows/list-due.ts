/** Lists the tasks that the jobs loop must work on. */

import type { TaskId } from "../../../base/ids.ts"
import { WAITS_FOR_LOWER } from "../../../features/stacks/rows.ts"
import { isOver } from "../../store/due-condition.ts"
import type { Db } from "../../store/open.ts"
import { sql } from "../../store/sql.ts"
import { IN_USE } from "../../workspaces/rows/folder-leases.ts"
import { type Duty, dutyOf } from "../rules/duty.ts"
import type { Task } from "./row.ts"
import { SESSION_IS_FREE } from "./sessions/find.ts"
import { GOES_BEFORE } from "./work-item.ts"

export type DueTask = { readonly id: TaskId; readonly due: Duty }

/** The event of a cancelled task whose worktree is gone, or stays and is reported. */
export const REMOVED_EVENT = "workspace.removed"
export const KEPT_EVENT = "workspace.kept"

/** No other task works in the static folder of this one. */
const FREE = `
  (strategy is not 'static' or not exists (
    select 1 from folder_leases join task_repos repo on repo.path = folder_leases.path
    where repo.task = tasks.id and folder_leases.task <> tasks.id and ${IN_USE}))`

/** A cancelled task or an ended review that left something behind and is not cleaned up yet. */
export const TO_CLEAN = `
  (state = 'cancelled' or (state = 'complete' and review_of is not null))
  and (exists (select 1 from jobs where task = tasks.id)
    or exists (select 1 from landings where task = tasks.id)
    or exists (select 1 from task_repos where task = tasks.id and worktree is not null))
  and not exists (select 1 from events
    where task = tasks.id and type in ('${KEPT_EVENT}', '${REMOVED_EVENT}'))`

/**
 * The task is complete or cancelled, and cleaned up, so only a person can change it. Before that, its
 * set-up or clean-up may still be running in its worktrees.
 */
export const IS_OVER = `
  tasks.state in ('complete', 'cancelled')
  and not exists (select 1 from landings
    where landings.task = tasks.id and landings.state not in ('landed', 'cancelled'))
  and not exists (select 1 from processes where processes.task = tasks.id)
  and ((tasks.state = 'complete' and tasks.review_of is null)
    or not exists (select 1 from jobs where jobs.task = tasks.id)
    or exists (select 1 from events
      where events.task = tasks.id and type in ('${KEPT_EVENT}', '${REMOVED_EVENT}')))`

/** Turns of started tasks go before new tasks; then higher priority, then first come, first served. */
const LIST = `
  select id, state, deletion, review_of as reviewOf from tasks
  where deletion is not null
    or (state = 'registered' and ${FREE} and not ${WAITS_FOR_LOWER}
      and not exists (select 1 from tasks other where ${GOES_BEFORE}))
    or (state in ('planning', 'working')
      and exists (select 1 from turns where task = id and ended_at is null
        and (retry_at is null or ${isOver("retry_at", "retry_from")})) and ${FREE} and ${SESSION_IS_FREE})
    or (${TO_CLEAN})
  order by state = 'registered', priority desc, id`

/** A postponed turn is not due before its retry time. */
export function listDueTasks(db: Db, nowMs: number): DueTask[] {
  const due = sql(db, LIST).list({ nowMs }) as Pick<
    Task,
    "id" | "state" | "deletion" | "reviewOf"
  >[]
  return due.map((task) => ({ id: task.id, due: dutyOf(task) }))
}

const LIST_TO_CLEAN = `select id from tasks where deletion is null and ${TO_CLEAN} order by id`

/** Lists cancelled tasks and ended reviews that still need their clean-up. */
export function listToClean(db: Db): TaskId[] {
  const rows = sql(db, LIST_TO_CLEAN).list() as { id: TaskId }[]
  return rows.map(({ id }) => id)
}
