/** Ends a daemon that was started by a command, when nothing is left for it to do. */
import { isTransient } from "../core/errors.ts"
import { isSettled, type TaskState } from "../core/task.ts"
import type { Db } from "../store/open.ts"
import { onCommit } from "../store/sql.ts"
import { countTasks } from "../store/tasks/list.ts"
import { listAttachedTasks } from "../store/tasks/list-attached.ts"

/** Long enough that somebody at work never waits for a start. */
const IDLE_MS = 10 * 60_000

/** @returns how to stop watching. */
export function endWhenIdle(db: Db, end: () => void): () => void {
  const isIdle = () =>
    listAttachedTasks(db).length === 0 && // who goes on when a person leaves them
    Object.keys(countTasks(db)).every((state) => isSettled(state as TaskState))
  const look = () => {
    try {
      if (isIdle()) end()
      else timer.refresh()
    } catch (error) {
      if (!isTransient(error)) throw error
      timer.refresh()
    }
  }
  const timer = setTimeout(look, IDLE_MS)
  const unsubscribe = onCommit(db, () => void timer.refresh())
  return () => {
    clearTimeout(timer)
    unsubscribe()
  }
}
