/** The rows of schedules: when each starts its next task. */
import type { TaskId } from "../../../base/ids.ts"
import type { Db } from "../../../kernel/store/open.ts"
import { type SqlRow, sql } from "../../../kernel/store/sql.ts"

export type ScheduleKey = { readonly agent: string; readonly name: string }

export type ScheduleRow = ScheduleKey & {
  /** JSON of the timing that {@link dueAtMs} was computed from. */
  readonly timing: string
  /** A person's choice; null: coppice.yml decides. */
  readonly switched: boolean | null
  /** The next start; null: it is off. */
  readonly dueAtMs: number | null
  /** When its last tick was taken. */
  readonly firedAtMs: number | null
}

const COLUMNS = "agent, name, timing, switched, due_at as dueAtMs, fired_at as firedAtMs"
const LIST = `select ${COLUMNS} from schedules order by agent, name`
const FIND = `select ${COLUMNS} from schedules where agent = :agent and name = :name`
const LIST_DUE = `select agent, name from schedules where due_at <= :nowMs order by due_at, agent, name`
const NEXT = "select min(due_at) as atMs from schedules where due_at > :nowMs"
const ANY_ON = "select 1 from schedules where due_at is not null limit 1"
const UNFINISHED = `
  select id from tasks where agent = :agent and schedule = :name and deletion is null
    and state not in ('complete', 'cancelled') order by id limit 1`

const decode = ({ switched, ...rest }: SqlRow) =>
  ({ ...rest, switched: switched === null ? null : switched === 1 }) as ScheduleRow

export const listSchedules = (db: Db): ScheduleRow[] => sql(db, LIST).list().map(decode)

export function findSchedule(db: Db, { agent, name }: ScheduleKey): ScheduleRow | undefined {
  const row = sql(db, FIND).find({ agent, name })
  return row && decode(row)
}

export const listDueSchedules = (db: Db, nowMs: number): ScheduleKey[] =>
  sql(db, LIST_DUE).list({ nowMs }) as ScheduleKey[]

/** The time of the next tick that is still to come. */
export function findNextStart(db: Db, nowMs: number): number | undefined {
  return (sql(db, NEXT).read({ nowMs })["atMs"] as number | null) ?? undefined
}

/** Whether a task will be created without a person's request. */
export const isScheduleOn = (db: Db): boolean => sql(db, ANY_ON).find() !== undefined

/** A task of the schedule that has not ended. */
export function findUnfinishedOf(db: Db, { agent, name }: ScheduleKey): TaskId | undefined {
  return sql(db, UNFINISHED).find({ agent, name })?.["id"] as TaskId | undefined
}
