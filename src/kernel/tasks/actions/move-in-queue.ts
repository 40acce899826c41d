/** Moves the landing of a task to another place in its queue. */

import type { QueuePlace } from "../../../api/wire/landings.ts"
import { assert } from "../../../base/assert.ts"
import { DaemonError } from "../../errors.ts"
import type { FleetRows } from "../../home.ts"
import { moveLanding, type Place } from "../../landing/rows/move.ts"
import { findTaskByRef } from "./find-task.ts"

const HINTS = [
  "`coppice queue` shows the order: a landing under way, or one that was overtaken often, keeps its place.",
]

/** @throws {DaemonError} `landing.refused` (user) if one of the two cannot be moved. */
export function moveInQueue(fleet: FleetRows, ref: string, asked: QueuePlace): void {
  const own = findTaskByRef(fleet, ref).id
  const place = toPlace(fleet, asked)
  if ("task" in place && place.task === own)
    throw new DaemonError(
      "landing.refused",
      `Task ${own} cannot land before or after itself.`,
      HINTS,
    )
  const moved = moveLanding(fleet.db, own, place, fleet.world.nowMs())
  if (moved.kind === "moved") return
  const message = `Task ${moved.task} is not in the landing queue, or its position is fixed.`
  throw new DaemonError("landing.refused", message, HINTS)
}

function toPlace(fleet: FleetRows, { at, task }: QueuePlace): Place {
  if (at === "first" || at === "last") return { at }
  assert(task !== undefined, "a place next to a landing names its task")
  return { at, task: findTaskByRef(fleet, task).id }
}
