/** Ends a daemon that a command started, when it has nothing left to do. */

import { isTransient } from "../../base/errors.ts"
import { isPullRequestOpen } from "../../kernel/landing/rules/landing-states.ts"
import type { Db } from "../../kernel/store/open.ts"
import { listProcesses } from "../../kernel/store/processes.ts"
import { onCommit } from "../../kernel/store/sql.ts"
import { isDeleting } from "../../kernel/tasks/rows/deletion.ts"
import { listDrivenStates } from "../../kernel/tasks/rows/find.ts"
import { listToClean } from "../../kernel/tasks/rows/list-due.ts"
import { isSettled } from "../../kernel/tasks/rules.ts"
import { FEATURES } from "../features.ts"

/** Long enough that a person at work never waits for a daemon to start. */
const IDLE_MS = 10 * 60_000

/** Whether nothing runs and nothing is due. */
export function isIdle(db: Db): boolean {
  // Nothing else would start a daemon for these.
  if (FEATURES.some((feature) => feature.needsDaemon?.(db))) return false
  if (isDeleting(db) || listToClean(db).length > 0) return false
  const states = listDrivenStates(db)
  // The forge may merge at any time, and only a daemon notices.
  if (states.some(isPullRequestOpen)) return false
  return states.every(isSettled) && listProcesses(db).length === 0
}

/** @returns a function that stops watching. */
export function endWhenIdle(
  db: Db,
  { isWorking, end }: { isWorking(): boolean; end(): void },
): () => void {
  const look = () => {
    try {
      if (!isWorking() && isIdle(db)) end()
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
