/**
 * Cancels a task: its agent is ended, its worktree rescued and removed, its record stays.
 *
 * A landing that has moved some of its targets continues to its end. It can only be cancelled while
 * it waits: then those targets are taken back, by a landing that is submitted in the same instant.
 */
import { isDeepStrictEqual } from "node:util"
import type { Cancellation } from "../../../api/wire/requests.ts"
import { listChildren } from "../../../features/sub-tasks/rows/family.ts"
import { DaemonError } from "../../errors.ts"
import type { FleetRows } from "../../home.ts"
import { isCancellable } from "../../landing/cancellable.ts"
import { findLandingOfTask } from "../../landing/rows/find.ts"
import { type LandingChange, recordLanding } from "../../landing/rows/record.ts"
import type { Landing } from "../../landing/rows/row.ts"
import { submitWork } from "../../landing/submit-work.ts"
import { type Abandoned, prepareAbandoning } from "../../landing/undo/give-up.ts"
import { transaction } from "../../store/sql.ts"
import { findTask } from "../rows/find.ts"
import { recordTask } from "../rows/record.ts"
import type { Task } from "../rows/row.ts"
import { closeTurn } from "../rows/turns/end.ts"
import { findOpenTurn } from "../rows/turns/find.ts"
import { NO_USAGE } from "../rules/usage.ts"

/**
 * @param given With `tree`, cancels the task first, so that it starts no more, then its unfinished
 *   sub-tasks. One refusal does not stop the rest.
 * @throws {DaemonError} `task.refused` (user).
 */
export async function cancel(rows: FleetRows, task: Task, given: Cancellation = {}): Promise<void> {
  if (given.tree !== true) return await cancelOne(rows, task)
  const isOver = ({ state, deletion }: Task) =>
    deletion !== null || state === "complete" || state === "cancelled"
  const refusals: unknown[] = []
  const left = [task.id]
  for (let id = left.shift(); id !== undefined; id = left.shift()) {
    const one = findTask(rows.db, id)
    if (!one) continue
    if (!isOver(one)) await cancelOne(rows, one).catch((error: unknown) => refusals.push(error))
    left.push(...listChildren(rows.db, id))
  }
  if (refusals.length > 0) throw refusals[0]
}

async function cancelOne(rows: FleetRows, task: Task): Promise<void> {
  const landing = findLandingOfTask(rows.db, task.id)
  const abandoned = landing && (await prepareAbandoning(rows.db, landing))
  recordCancelled(rows, task, abandoned && { ...abandoned, landing })
}

/** The loops see the new state, end the running processes, and then clean up. */
export function recordCancelled(
  { db, world }: FleetRows,
  task: Task,
  abandoned?: (Abandoned & { readonly landing: Landing }) | undefined,
): void {
  transaction(db, () => {
    const nowMs = world.nowMs()
    const landing = findLandingOfTask(db, task.id)
    const underWay = landing && landing.state !== "landed" && landing.state !== "cancelled"
    const isAbandoned = abandoned && isDeepStrictEqual(landing, abandoned.landing)
    if (underWay && !isAbandoned && !isCancellable(landing)) throw tooLate(task, landing)
    recordTask(db, task, { event: "cancelled" }, nowMs)
    if (underWay)
      recordLanding(db, landing, cancelled(landing, isAbandoned ? abandoned : undefined), nowMs)
    if (isAbandoned && abandoned.takeBack) submitWork(db, abandoned.takeBack, nowMs)
    const turn = findOpenTurn(db, task.id)
    if (turn) closeTurn(db, turn, { usage: NO_USAGE, message: null }, nowMs)
  })
}

function cancelled({ repos }: Landing, abandoned: Abandoned | undefined): LandingChange {
  if (!abandoned) return { event: "cancelled" }
  const none = repos.map(({ name }) => ({ name, published: false }))
  return { event: "cancelled", reason: abandoned.reason, decided: false, repos: none }
}

function tooLate({ id }: Task, { decided }: Landing): DaemonError {
  const show = `\`coppice show ${id}\` shows how it ends.`
  const wait = `If it has to wait, \`coppice cancel ${id}\` takes back what is on its targets.`
  const message = `Task ${id} is being landed; it is too late to cancel.`
  return new DaemonError("task.refused", message, decided ? [show, wait] : [show])
}
