/** Changes the rows of schedules: as coppice.yml, a person or the clock says. */
import type { TaskId } from "../../../base/ids.ts"
import { appendEvent } from "../../../kernel/store/events.ts"
import type { Db } from "../../../kernel/store/open.ts"
import { sql, transaction } from "../../../kernel/store/sql.ts"
import { nextStartMs, type ScheduleConfig } from "../rules.ts"
import { findSchedule, listSchedules, type ScheduleKey, type ScheduleRow } from "./find.ts"

type Configured = ScheduleConfig & Pick<ScheduleKey, "agent">

const DELETE = "delete from schedules where agent = :agent and name = :name"
const PUT = `
  insert into schedules (agent, name, timing, switched, due_at)
  values (:agent, :name, :timing, :switched, :dueAtMs)
  on conflict (agent, name) do update
  set timing = :timing, switched = :switched, due_at = :dueAtMs`
const MOVE = `
  update schedules set due_at = :toMs, fired_at = coalesce(:firedAtMs, fired_at)
  where agent = :agent and name = :name and due_at = :dueAtMs`

/**
 * Brings the rows in line with coppice.yml and the clock. A schedule that is new, has another timing, or
 * would start later because the clock was set back, starts one interval from now, or at the pattern's
 * next time.
 *
 * @returns whether anything changed.
 */
export function alignSchedules(db: Db, configured: readonly Configured[], nowMs: number): boolean {
  return transaction(db, () => {
    const before = new Map(listSchedules(db).map((row) => [keyOf(row), row]))
    let changes = 0
    for (const one of configured) {
      const row = before.get(keyOf(one))
      before.delete(keyOf(one))
      const timing = JSON.stringify(one.timing)
      const isOn = row?.switched ?? one.enabled
      const isAsBefore = row?.timing === timing && isOn === (row.dueAtMs !== null)
      if (isAsBefore && (row.dueAtMs ?? 0) <= nextStartMs(one.timing, nowMs)) continue
      put(db, { ...keys(one), timing, switched: row?.switched ?? null }, startOf(one, isOn, nowMs))
      changes++
    }
    for (const { agent, name } of before.values()) sql(db, DELETE).run({ agent, name })
    changes += before.size
    if (changes > 0)
      appendEvent(db, { type: "schedules.planned", task: null, data: { changes } }, nowMs)
    return changes > 0
  })
}

/** A person switches it on or off. While it is off it misses no ticks. */
export function switchSchedule(db: Db, one: Configured, isOn: boolean, nowMs: number): void {
  transaction(db, () => {
    const row = findSchedule(db, one)
    const isAsBefore = row !== undefined && isOn === (row.dueAtMs !== null)
    const due = isAsBefore ? row.dueAtMs : startOf(one, isOn, nowMs)
    put(db, { ...keys(one), timing: JSON.stringify(one.timing), switched: isOn }, due)
    const type = isOn ? "schedule.enabled" : "schedule.disabled"
    appendEvent(db, { type, task: null, data: keys(one) }, nowMs)
  })
}

type Move = {
  readonly toMs: number
  /** The tick is taken at this time; undefined: it is only put off. */
  readonly firedAtMs?: number
}

/** @returns false if another has moved it since it was read: then nothing changes. */
export function moveSchedule(db: Db, row: ScheduleRow, { toMs, firedAtMs }: Move): boolean {
  const { agent, name, dueAtMs } = row
  return sql(db, MOVE).run({ agent, name, dueAtMs, toMs, firedAtMs: firedAtMs ?? null }) > 0
}

/** A tick that creates no task, because an earlier one has not ended. */
export function skipTick(db: Db, row: ScheduleRow, move: Required<Move>, busyWith: TaskId): void {
  transaction(db, () => {
    if (!moveSchedule(db, row, move)) return
    const data = { ...keys(row), unfinished: String(busyWith) }
    appendEvent(db, { type: "schedule.skipped", task: null, data }, move.firedAtMs)
  })
}

const startOf = ({ timing }: Configured, isOn: boolean, nowMs: number) =>
  isOn ? nextStartMs(timing, nowMs) : null

function put(
  db: Db,
  { agent, name, timing, switched }: ScheduleKey & Pick<ScheduleRow, "timing" | "switched">,
  dueAtMs: number | null,
): void {
  const word = switched === null ? null : Number(switched)
  sql(db, PUT).run({ agent, name, timing, switched: word, dueAtMs })
}

const keys = ({ agent, name }: ScheduleKey): ScheduleKey => ({ agent, name })

/** `coder/nightly`: neither name holds a slash. */
const keyOf = ({ agent, name }: ScheduleKey): string => `${agent}/${name}`
