/**
 * Takes a due tick of a schedule: creates its task and moves the schedule, in one transaction. A tick with a
 * source polls that first, which is safe to repeat.
 *
 * So a tick creates exactly one task, even if the daemon is killed at any moment. Missed ticks count
 * as one.
 */

import type { NewTask } from "../../api/wire/requests.ts"
import { assert } from "../../base/assert.ts"
import { DaemonError } from "../../kernel/errors.ts"
import { type Creator, createTask } from "../../kernel/tasks/actions/create-task.ts"
import { findRequestedTask } from "../../kernel/tasks/rows/add.ts"
import type { Task } from "../../kernel/tasks/rows/row.ts"
import { moveSchedule, skipTick } from "./rows/change.ts"
import { findSchedule, findUnfinishedOf, type ScheduleKey } from "./rows/find.ts"
import type { ScheduleConfig } from "./rules.ts"
import { heldUntilMs, nextStartMs } from "./rules.ts"

type Created = Awaited<ReturnType<typeof createTask>>

type Creating = Creator & {
  /** Polls the source of a schedule. `key`: of the request. @returns the tasks of its new items. */
  poll(source: string, key?: string): Promise<readonly Created[]>
}

/** Something else took or moved the tick while its task was being prepared. */
class TickTakenError extends Error {}

export type Scheduled = ScheduleConfig & Pick<ScheduleKey, "agent">

/**
 * Does nothing if its tick is no longer due.
 *
 * @throws {DaemonError} (user) for anything that would keep the task from ever starting; the tick stays due.
 */
export async function fireSchedule(fleet: Creating, schedule: Scheduled): Promise<void> {
  const { db, world } = fleet
  const row = findSchedule(db, schedule)
  const nowMs = world.nowMs()
  if (!row || row.dueAtMs === null || row.dueAtMs > nowMs) return
  const heldMs = heldUntilMs(schedule.timing, nowMs)
  if (heldMs > nowMs) return void moveSchedule(db, row, { toMs: heldMs })

  const move = { toMs: nextStartMs(schedule.timing, nowMs, row.dueAtMs), firedAtMs: nowMs }
  if (schedule.source !== undefined) {
    await fleet.poll(schedule.source)
    return void moveSchedule(db, row, move)
  }
  const busyWith = schedule.overlap ? undefined : findUnfinishedOf(db, schedule)
  if (busyWith !== undefined) return skipTick(db, row, move, busyWith)
  const take = ({ id }: Task) => {
    const isFree = schedule.overlap || findUnfinishedOf(db, schedule) === id
    if (!isFree || !moveSchedule(db, row, move)) throw new TickTakenError()
  }
  try {
    // The approved configuration applies until a person approves the change of it.
    const approved = { ...fleet, checkedConfig: fleet.config }
    await createTask(approved, requestOf(schedule), { schedule: schedule.name, records: take })
  } catch (error) {
    if (!(error instanceof TickTakenError)) throw error
  }
}

/** Creates the schedule's task now, for a person. The next tick stays as it is. */
export async function triggerSchedule(fleet: Creating, schedule: Scheduled, key?: string) {
  if (schedule.source !== undefined) return await pollNow(fleet, schedule, schedule.source, key)
  return await createTask(fleet, requestOf(schedule), { schedule: schedule.name, key })
}

async function pollNow(
  fleet: Creating,
  { agent }: Scheduled,
  source: string,
  key: string | undefined,
): Promise<Created> {
  const again = async () => {
    const made = findRequestedTask(fleet.db, key)
    // `createTask` finds the task by the key, and returns its settings.
    return (
      made && (await createTask(fleet, { agent, prompt: made.prompt, land: made.land }, { key }))
    )
  }
  const first = (await again()) ?? (await fleet.poll(source, key))[0] ?? (await again())
  if (first) return first
  throw new DaemonError("schedule.nothing_ready", `The source ${source} has no item to take.`, [
    "`coppice sources` lists its open items, and those that it refuses.",
  ])
}

function requestOf({ agent, prompt, title, priority }: Scheduled): NewTask {
  assert(prompt !== undefined, "a schedule without a source has a prompt")
  return { agent, prompt, priority, ...(title !== undefined && { title }) }
}
