/**
 * Gives the ends of sub-tasks to their parents.
 *
 * The rows say what is left to do, and one transaction does it, so each happens once.
 */

import type { ConfiguredHome } from "../../api/fleet.ts"
import type { TaskId } from "../../base/ids.ts"
import { findLandingOfTask } from "../../kernel/landing/rows/find.ts"
import { StoreLoop } from "../../kernel/store/loop.ts"
import { findTask } from "../../kernel/tasks/rows/find.ts"
import type { Task } from "../../kernel/tasks/rows/row.ts"
import { endReport } from "./prompts.ts"
import { listUnreported, reportEnd } from "./rows.ts"

type Context = Pick<ConfiguredHome, "db" | "world">

export function followSubTasks(
  context: Context,
  onError: (task: TaskId | undefined, error: unknown) => void,
): StoreLoop<TaskId> {
  const { db, world } = context
  return new StoreLoop<TaskId>(db, {
    onError,
    list: (busy) => listUnreported(db).filter((id) => !busy.has(id)),
    drive: async (id) => {
      const task = findTask(db, id)
      if (task) reportEnd(db, task, describeEnd(context, task), world.nowMs())
    },
    isWithdrawn: () => false,
    wakeInMs: () => undefined,
    neverGivesUp: () => true,
  })
}

function describeEnd({ db }: Context, task: Task): string {
  const { id, title, lastMessage } = task
  return endReport({ id, title, lastMessage, end: endOf(task, findLandingOfTask(db, id)?.state) })
}

/** As a sentence. */
function endOf({ state, reason, repos }: Task, landing: string | undefined): string {
  const why = reason === null ? "" : `: ${reason.text}`
  if (state === "cancelled") return "A person cancelled it."
  if (state === "stuck") return `It is stuck, and a person was asked to look${why}`
  if (state === "merge_failed") return `Its landing failed, and a person was asked to look${why}`
  if (landing !== "landed") return `It is complete${why}`
  const targets = repos.map(({ target, mergeTip }) => `${target} (${mergeTip ?? "unchanged"})`)
  return `It is complete, and its work has landed on ${targets.join(", ")}.`
}
