/** Puts the landing of a task that goes on back to its beginning: a fresh snapshot. */
import type { TaskId } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { findLandingOfTask } from "./find.ts"
import { recordLanding } from "./record.ts"

/** Nothing where the landing had not left its queue: then it goes on there. */
export function resubmitPaused(db: Db, task: TaskId, nowMs: number): void {
  const landing = findLandingOfTask(db, task)
  if (landing?.state !== "paused") return
  recordLanding(db, landing, { event: "resubmitted", attempts: 0, races: 0 }, nowMs)
}
