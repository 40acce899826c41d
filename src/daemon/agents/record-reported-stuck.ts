/** Records that an agent cannot go on: its turn ends, and we end its process. */

import { NO_USAGE } from "../../core/agents/usage.ts"
import type { TaskId } from "../../core/ids.ts"
import { next } from "../../core/machine.ts"
import { TASK } from "../../core/tasks/task.ts"
import { transaction } from "../../store/sql.ts"
import { findTask } from "../../store/tasks/find.ts"
import { recordTask } from "../../store/tasks/record.ts"
import { closeTurn } from "../../store/turns/end.ts"
import { findOpenTurn } from "../../store/turns/find.ts"
import type { FleetRows } from "../home.ts"

/** @returns false if the task has no open turn, or has stopped already. */
export function recordReportedStuck({ db, world }: FleetRows, id: TaskId, text: string): boolean {
  return transaction(db, () => {
    const task = findTask(db, id)
    const turn = findOpenTurn(db, id)
    if (!task || !turn || !next(TASK, task.state, "gotStuck")) return false
    const nowMs = world.nowMs()
    closeTurn(db, turn, { usage: NO_USAGE, message: text }, nowMs)
    const reason = { code: "needs_decision", text } as const
    return recordTask(db, task, { event: "gotStuck", reason }, nowMs)
  })
}
