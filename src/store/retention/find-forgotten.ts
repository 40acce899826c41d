/** Says what was deleted behind a cursor, of events and of a task's log. */
import type { TaskId } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"

export type Gap = {
  /** Of what is numbered up to here, some was deleted. */
  readonly to: number
  readonly atMs: number
}

const EVENTS = `
  select max(events_to) as "to", max(at) as atMs from forgotten
  where events_to > :after and (:task is null or task = :task)`
const LOG = `select log_to as "to", at as atMs from forgotten where log_to > :after and task = :task`

/** @param query.task undefined: of all. @returns undefined where all of them are there. */
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
