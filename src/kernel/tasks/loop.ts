/**
 * Runs the turns that are due: new tasks, work that was handed back, and turns that a crash
 * interrupted. All three are the same thing, an open turn in the store.
 */

import type { TaskId } from "../../base/ids.ts"
import { abortable } from "../git/start/limits.ts"
import { keepingGits } from "../git/start/trace-commands.ts"
import { recordGits } from "../store/log/git-commands.ts"
import { StoreLoop } from "../store/loop.ts"
import { beginTask } from "./begin-task.ts"
import { cleanCancelled } from "./clean-cancelled.ts"
import type { JobsContext } from "./context.ts"
import { deleteTask } from "./delete-task.ts"
import { findTask } from "./rows/find.ts"
import { listDueTasks } from "./rows/list-due.ts"
import { findNextRetry } from "./rows/turns/postpone.ts"
import { type Duty, dutyOf } from "./rules/duty.ts"
import { runTurns } from "./run-turns.ts"

const needsAgent = (duty: Duty) => duty === "begin" || duty === "run"
const cleans = (duty: Duty) => duty === "clean" || duty === "delete"

export function jobsLoop(
  context: JobsContext,
  onError: (task: TaskId | undefined, error: unknown) => void,
  describe?: (task: TaskId, error: unknown) => Promise<string>,
): StoreLoop<TaskId> {
  const { db, world, slots } = context
  const cleaned = new Set<TaskId>()
  return new StoreLoop<TaskId>(db, {
    onError,
    ...(describe && { describe }),
    list: (driven) => {
      const due = listDueTasks(db, world.nowMs()).filter(({ id }) => !driven.has(id))
      const toRun = due.filter(({ due }) => needsAgent(due)).map(({ id }) => id)
      const toClean = due.filter(({ due }) => !needsAgent(due)).map(({ id }) => id)
      return [...toClean, ...slots.choose(context, toRun, driven)]
    },
    isWithdrawn: (id) => {
      const task = findTask(db, id)
      if (cleaned.has(id)) return false
      return !task || ["stop", "clean", "delete"].includes(dutyOf(task))
    },
    neverGivesUp: (id) => {
      const task = findTask(db, id)
      return task !== undefined && cleans(dutyOf(task))
    },
    wakeInMs: () => {
      const nowMs = world.nowMs()
      const atMs = findNextRetry(db, nowMs)
      return atMs === undefined ? undefined : atMs - nowMs
    },
    drive: (id, signal) => {
      const keep = (lines: readonly string[]) => recordGits(db, { task: id, lines }, world.nowMs())
      return context.waits.during(id, () => keepingGits(keep, () => drive(id, signal)))
    },
  })

  async function drive(id: TaskId, signal: AbortSignal): Promise<void> {
    const task = findTask(db, id)
    const duty = task && dutyOf(task)
    if (task && duty === "begin") beginTask(context, task)
    const clean = duty === "delete" ? deleteTask : duty === "clean" ? cleanCancelled : undefined
    if (!clean) return await abortable(signal, () => runTurns(context, id, signal))
    cleaned.add(id)
    await abortable(signal, () => clean(context, id, signal)).finally(() => cleaned.delete(id))
  }
}
