/** Finds the tasks that references name. */

import type { LandingOrder } from "../../../api/wire/landings.ts"
import type { TaskId } from "../../../base/ids.ts"
import { DaemonError } from "../../errors.ts"
import type { FleetRows } from "../../home.ts"
import { locateWorktree } from "../../workspaces/follow-worktree.ts"
import { findTask } from "../rows/find.ts"
import { resolveTask } from "../rows/resolve.ts"
import type { Task } from "../rows/row.ts"

/**
 * @param ref id, branch, work item or the unambiguous beginning of a title.
 * @returns the task with its worktrees where they are now.
 */
export function findTaskByRef({ db }: FleetRows, ref: string): Task {
  const found = resolveTask(db, ref)
  if (found.kind === "found") return located(found.task)
  if (found.kind === "ambiguous")
    throw new DaemonError("task.ambiguous", `\`${ref}\` may mean tasks ${found.ids.join(", ")}.`, [
      "Name the task by its id.",
    ])
  throw notFound(ref)
}

/** The current row of a task that was found before. @throws {DaemonError} `task.not_found` (user). */
export function findTaskAgain({ db }: FleetRows, { id }: Pick<Task, "id">): Task {
  const task = findTask(db, id)
  if (!task) throw notFound(String(id))
  return located(task)
}

const located = (task: Task): Task => ({ ...task, repos: task.repos.map(locateWorktree) })

const notFound = (ref: string): DaemonError =>
  new DaemonError("task.not_found", `There is no task \`${ref}\`.`, [
    "`coppice ls` lists the tasks; a task is named by its id, branch, work item or title.",
  ])

type Order = { readonly priority: number; readonly after: readonly TaskId[] }

/** @throws {DaemonError} `task.not_found`, `task.ambiguous` (user). */
export const orderOf = (fleet: FleetRows, { priority = 0, after = [] }: LandingOrder): Order => ({
  priority,
  after: after.map((ref) => findTaskByRef(fleet, ref).id),
})
