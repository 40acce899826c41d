/** Ends a daemon that was started by a command, when nothing is left for it to do. */
import { isSettled, type TaskState } from "../core/task.ts"
import type { Db } from "../store/open.ts"
import { onCommit } from "../store/sql.ts"
import { countTasks } from "../store/tasks/list.ts"

/** Long enough that somebody at work never waits for a start. */
const IDLE_MS = 10 * 60_000

/** @returns how to stop watching. */
export function endWhenIdle(db: Db, end: () => void): () => void {
  const isIdle = () => Object.keys(countTasks(db)).every((state) => isSettled(state as TaskState))
  const look = () => (isIdle() ? end() : timer.refresh())
  const timer = setTimeout(look, IDLE_MS)
  const unsubscribe = onCommit(db, () => void timer.refresh())
  return () => {
    clearTimeout(timer)
    unsubscribe()
  }
}
