/** Finds out whether events or log lines after a cursor were deleted. */
import type { TaskId } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"

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
