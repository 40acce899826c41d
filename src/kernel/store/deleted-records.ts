/** Records which events and log lines were deleted, so that readers know of the gap. */
import type { TaskId } from "../../base/ids.ts"
import type { Db } from "./open.ts"
import { sql } from "./sql.ts"

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

/** Records that events or log lines were deleted, to inform followers. */
export function noteForgotten(db: Db, { task, eventsTo, logTo }: Forgotten, nowMs: number): void {
  sql(db, NOTE).run({ task, eventsTo, logTo, nowMs })
}

export type Gap = {
  /** Some of the items up to this number were deleted. */
  readonly to: number
  readonly atMs: number
}

const EVENTS = `
  select max(events_to) as "to", max(at) as atMs from forgotten
  where events_to > :after and (:task is null or task = :task)`
const LOG = `select log_to as "to", at as atMs from forgotten where log_to > :after and task = :task`

/** @param query.task undefined for all tasks. @returns undefined if nothing was deleted. */
export function findForgottenEvents(
  db: Db,
  { after, task }: { readonly after: number; readonly task: TaskId | undefined },
): Gap | undefined {
  const gap = sql(db, EVENTS).read({ after, task: task ?? null })
  return gap["to"] === null ? undefined : (gap as Gap)
}

export function findForgottenLog(
  db: Db,
  { after, task }: { readonly after: number; readonly task: TaskId },
): Gap | undefined {
  return sql(db, LOG).find({ after, task }) as Gap | undefined
}
