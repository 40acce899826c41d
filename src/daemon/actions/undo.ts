/** Takes a landing back: by a landing of its own, through the same queue and gate. */

import type { LandingId } from "../../core/ids.ts"
import type { LandingOrder } from "../../core/wire/documents.ts"
import { isCancellable } from "../../landing/cancellable.ts"
import { takeBack } from "../../landing/undo/take-back.ts"
import { findLanding, findLandingOfTask } from "../../store/landings/find.ts"
import type { Landing } from "../../store/landings/row.ts"
import { findTask } from "../../store/tasks/find.ts"
import { resolveTask } from "../../store/tasks/resolve.ts"
import type { Task } from "../../store/tasks/row.ts"
import { DaemonError } from "../errors.ts"
import type { Fleet } from "../fleet.ts"
import { findTaskByRef } from "./find-task.ts"
import { orderOf } from "./order-of.ts"

/**
 * @param ref a landing's id; otherwise it names a task, and its latest landing is meant.
 * @returns the task that takes it back.
 * @throws {DaemonError} `landing.not_found`, `landing.refused` (user).
 */
export async function undo(fleet: Fleet, ref: string, order: LandingOrder = {}): Promise<Task> {
  const landing = findMeant(fleet, ref)
  if (!landing)
    throw new DaemonError("landing.not_found", `There is no landing \`${ref}\`.`, [
      "`coppice show <task>` shows the number of a task's landing.",
    ])
  if (landing.state !== "landed")
    throw refused(
      landing,
      `it has not landed: it is ${landing.state}`,
      isCancellable(landing) ? [`\`coppice cancel ${landing.task}\` gives its task up.`] : [],
    )
  const taken = await takeBack(fleet, landing, orderOf(fleet, order))
  if (taken.kind === "refused") throw refused(landing, taken.reason)
  return findTask(fleet.db, taken.landing.task) as Task
}

function findMeant(fleet: Fleet, ref: string): Landing | undefined {
  const byId = /^\d{1,15}$/.test(ref) && findLanding(fleet.db, Number(ref) as LandingId)
  if (byId) return byId
  if (resolveTask(fleet.db, ref).kind === "none") return undefined
  return findLandingOfTask(fleet.db, findTaskByRef(fleet, ref).id)
}

function refused({ id }: Landing, reason: string, hints: readonly string[] = []): DaemonError {
  return new DaemonError("landing.refused", `Landing ${id} cannot be taken back: ${reason}.`, hints)
}
