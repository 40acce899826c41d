/** Records that an agent cannot go on: its turn ends, and we end its process. */

import type { TaskId } from "../../base/ids.ts"
import { next } from "../../base/machine.ts"
import type { FleetRows } from "../../kernel/home.ts"
import { transaction } from "../../kernel/store/sql.ts"
import { findTask } from "../../kernel/tasks/rows/find.ts"
import { recordTask } from "../../kernel/tasks/rows/record.ts"
import { closeTurn } from "../../kernel/tasks/rows/turns/end.ts"
import { findOpenTurn } from "../../kernel/tasks/rows/turns/find.ts"
import { NO_USAGE } from "../../kernel/tasks/rules/usage.ts"
import { TASK } from "../../kernel/tasks/rules.ts"

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
