/** Reads a task's place in its landing queues: its priority, and the tasks that it lands after. */

import type { TaskId } from "../../core/ids.ts"
import type { LandingOrder } from "../../core/wire/documents.ts"
import type { Fleet } from "../fleet.ts"
import { findTaskByRef } from "./find-task.ts"

type Order = { readonly priority: number; readonly after: readonly TaskId[] }

/** @throws {DaemonError} `task.not_found`, `task.ambiguous` (user). */
export const orderOf = (fleet: Fleet, { priority = 0, after = [] }: LandingOrder): Order => ({
  priority,
  after: after.map((ref) => findTaskByRef(fleet, ref).id),
})
