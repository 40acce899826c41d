/** Applies an event to a task. Only this file changes a task's state. */

import { next } from "../../../base/machine.ts"
import { boundedReason } from "../../store/bounded-reason.ts"
import { appendEvent, eventType } from "../../store/events.ts"
import type { Db } from "../../store/open.ts"
import { sql, transaction } from "../../store/sql.ts"
import {
  ACTIVE_STATES,
  type Reason,
  restartState,
  TASK,
  type TaskEvent,
  type TaskState,
} from "../rules.ts"
import { TransitionRefused } from "./errors.ts"
import { findTask } from "./find.ts"
import type { Task } from "./row.ts"

export type TaskChange = {
  readonly event: TaskEvent
  /** Undefined clears it, except that pausing or resuming a stuck task keeps it. */
  readonly reason?: Reason | null | undefined
  /** The same transaction starts it again, so it is no end. */
  readonly restarts?: boolean
}

const RECORD = `
  update tasks
  set state = :to, updated_at = :nowMs, reason_code = :code, reason_text = :text,
      stuck_in = case when :event = 'gotStuck' then state when :keeps then stuck_in end,
      paused_in = case when :event = 'paused' then state end,
      restarted = case when :event = 'resumed' then 0 else restarted end,
      reported = case when :isActive then 0 else reported end
  where id = :id and state = :from`

/** A job lasts as long as its task is active; a restart or a resumption starts the next one. */
const END_JOB = `
  update jobs set state = 'ended', ended_at = :nowMs, error = :error
  where task = :id and state = 'running'`
/** The states in which something went wrong; a person cancels a task without an error. */
const FAILED: readonly TaskState[] = ["stuck", "merge_failed"]

/**
 * Applies `change` to the task, if its row is still in the state that was read.
 *
 * @returns false if the row has moved: read it again, decide again.
 * @throws {TransitionRefused} `task.refused` (user) if the state does not accept the event.
 */
export function recordTask(
  db: Db,
  task: Pick<Task, "id" | "state">,
  change: TaskChange,
  nowMs: number,
): boolean {
  return transaction(db, () => {
    const row = findTask(db, task.id)
    if (row?.state !== task.state) return false
    const to = next(TASK, row.state, change.event)
    if (to === undefined) throw new TransitionRefused(db, row, change.event)
    if (!leadsBack(row, to)) return false
    write(db, row, { ...change, to }, nowMs)
    return true
  })
}

/** Whether the event returns a stopped task to where it was. A pull request that goes on takes its task along. */
function leadsBack({ state, returnsTo }: Task, to: TaskState): boolean {
  if (to === "reviews_in_progress" && state === "stuck") return true
  if (to === "cancelled" || (state !== "paused" && state !== "stuck") || to === "paused")
    return true
  return to === (state === "paused" ? returnsTo : restartState(returnsTo))
}

function write(db: Db, task: Task, change: TaskChange & { to: TaskState }, nowMs: number): void {
  const { event, to } = change
  const { id, state: from } = task
  const keeps = from === "stuck" ? to === "paused" : to === "stuck" && from === "paused"
  const reason = change.reason === undefined ? (keeps ? task.reason : null) : change.reason
  const { code, text } = reason ?? { code: null, text: null }
  const shown = text && boundedReason(db, { task: id, text }, nowMs)
  const isActive = (ACTIVE_STATES as readonly TaskState[]).includes(to)
  const flags = { keeps: keeps ? 1 : 0, isActive: isActive ? 1 : 0 }
  sql(db, RECORD).run({ id, from, to, event, code, text: shown, ...flags, nowMs })
  if (!isActive) sql(db, END_JOB).run({ id, nowMs, error: FAILED.includes(to) ? shown : null })
  appendEvent(
    db,
    {
      type: eventType("task", event),
      task: id,
      data: {
        from,
        to,
        reason: reason && { code, text: shown },
        ...(change.restarts && { restarts: true }),
      },
    },
    nowMs,
  )
}
