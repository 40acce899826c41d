/**
 * Follows the ends of tasks: restarts one that failed without a need for a decision, and gives the
 * other ends of sub-tasks to their parents.
 *
 * The rows say what is left to do, and one transaction does it, so each happens once.
 */
import { isTransient } from "../../core/errors.ts"
import type { TaskId } from "../../core/ids.ts"
import { endReport } from "../../core/prompts/sub-tasks.ts"
import { findLandingOfTask } from "../../store/landings/find.ts"
import { StoreLoop } from "../../store/loop.ts"
import type { Db } from "../../store/open.ts"
import { listUnreported, reportEnd } from "../../store/reports.ts"
import { transaction } from "../../store/sql.ts"
import { findTask } from "../../store/tasks/find.ts"
import { listRestartable, recordRestart } from "../../store/tasks/restarts.ts"
import type { Task } from "../../store/tasks/row.ts"
import { restart } from "../actions/restart.ts"
import type { ConfiguredHome } from "../fleet.ts"

type Context = Pick<ConfiguredHome, "db" | "world" | "findAgent">

export function followSubTasks(
  context: Context,
  onError: (task: TaskId | undefined, error: unknown) => void,
): StoreLoop<TaskId> {
  const { db, world } = context
  const mayRestart = (id: TaskId) => {
    const task = findTask(db, id)
    return task !== undefined && context.findAgent(task)?.restartOnFailure === true
  }
  return new StoreLoop<TaskId>(db, {
    onError,
    list: (busy) => {
      const restarts = listRestartable(db).filter(mayRestart)
      return [...new Set([...restarts, ...listUnreported(db)])].filter((id) => !busy.has(id))
    },
    drive: async (id) => {
      const task = findTask(db, id)
      if (!task) return
      if (listRestartable(db).includes(id) && mayRestart(id))
        try {
          return await restart(context, task, {}, { by: "coppice" })
        } catch (error) {
          if (isTransient(error)) throw error
          onError(id, error)
          giveUpRestart(db, id)
        }
      if (listUnreported(db).includes(id))
        reportEnd(db, task, describeEnd(context, task), world.nowMs())
    },
    isWithdrawn: () => false,
    wakeInMs: () => undefined,
    neverGivesUp: () => true,
  })
}

/** A later try would fail too, e.g. without the worktree: only a person can restart it. */
function giveUpRestart(db: Db, id: TaskId): void {
  transaction(db, () => {
    // A person may have been quicker.
    if (listRestartable(db).includes(id)) recordRestart(db, id, "coppice")
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
