/** Takes a task's landing out of its queue, because the task is paused or deleted. */
import { isCancellable } from "../../landing/cancellable.ts"
import { findLandingOfTask } from "../../store/landings/find.ts"
import { recordLanding } from "../../store/landings/record.ts"
import type { Landing } from "../../store/landings/row.ts"
import type { Task } from "../../store/tasks/row.ts"
import { DaemonError } from "../errors.ts"
import type { FleetRows } from "../fleet.ts"

const OVER: readonly Landing["state"][] = ["landed", "cancelled", "failed", "handed_back", "paused"]

/**
 * At once while it only waits; otherwise the landing loop first stops the running action.
 *
 * @param verb completes the sentence `it is too late to <verb>`.
 * @throws {DaemonError} `task.refused` (user) when its target may have moved already.
 */
export function haltLanding({ db, world }: FleetRows, task: Task, verb: string): void {
  const landing = findLandingOfTask(db, task.id)
  if (!landing || OVER.includes(landing.state)) return
  if (!isCancellable(landing)) throw tooLate(task, verb)
  if (landing.state !== "queued" && landing.state !== "waiting") return
  const nothing = { outcome: null, reason: null, details: null, wakeAtMs: null }
  recordLanding(db, landing, { event: "paused", ...nothing }, world.nowMs())
}

/** A published landing is on its target and runs to its end. */
function tooLate({ id }: Pick<Task, "id">, verb: string): DaemonError {
  const message = `Task ${id} is being landed; it is too late to ${verb}.`
  return new DaemonError("task.refused", message, [`\`coppice show ${id}\` shows how it ends.`])
}
