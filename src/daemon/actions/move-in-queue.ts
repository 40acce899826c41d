/** Moves the landing of a task to another place in line. */
import type { QueuePlace } from "../../core/wire/landings.ts"
import { moveLanding, type Place } from "../../store/landings/move.ts"
import { DaemonError } from "../errors.ts"
import type { FleetRows } from "../home.ts"
import { findTaskByRef } from "./find-task.ts"

/** @throws {DaemonError} `landing.refused` (user) if one of the two has no such place. */
export function moveInQueue(fleet: FleetRows, ref: string, { at, task }: QueuePlace): void {
  const own = findTaskByRef(fleet, ref).id
  const place = (task === undefined ? { at } : { at, task: findTaskByRef(fleet, task).id }) as Place
  const isItself = "task" in place && place.task === own
  const refused = isItself ? own : moveLanding(fleet.db, own, place, fleet.world.nowMs())
  if (refused === undefined) return
  const message = isItself
    ? `Task ${own} cannot land before or after itself.`
    : `Task ${refused} has no place in line that can change.`
  throw new DaemonError("landing.refused", message, [
    "`coppice queue` shows the order: a landing under way, or one that was overtaken often, keeps its place.",
  ])
}
