/** Restarts the landing of a resumed task with a fresh snapshot. */
import type { TaskId } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { findLandingOfTask } from "./find.ts"
import { recordLanding } from "./record.ts"

/** Does nothing if the landing has not left its queue: it continues there. */
export function resubmitPaused(db: Db, task: TaskId, nowMs: number): void {
  const landing = findLandingOfTask(db, task)
  if (landing?.state !== "paused") return
  recordLanding(db, landing, { event: "resubmitted", attempts: 0, races: 0 }, nowMs)
}
