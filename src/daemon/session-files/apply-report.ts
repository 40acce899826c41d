/** Applies an agent's report in its session file: the same as its verbs allow, and no more. */
import type { TaskId } from "../../core/ids.ts"
import type { Report } from "../../core/session-file.ts"
import { recordHeartbeat } from "../../store/jobs/record.ts"
import { transaction } from "../../store/sql.ts"
import { setMessage } from "../../store/tasks/words.ts"
import { declareDone } from "../../store/turns/end.ts"
import { findOpenTurn } from "../../store/turns/find.ts"
import type { FleetRows } from "../fleet.ts"
import { recordReportedStuck } from "../verbs/record-reported-stuck.ts"

/**
 * @returns why it is ignored, completing a sentence about the file; undefined if it was applied.
 */
export function applyReport(
  { db, world }: FleetRows,
  task: TaskId,
  { status, text, heartbeatAtMs }: Report,
): string | undefined {
  return transaction(db, () => {
    const nowMs = world.nowMs()
    const turn = findOpenTurn(db, task)
    if (!turn) return "was written when no turn was open"
    recordHeartbeat(db, task, Math.min(heartbeatAtMs ?? nowMs, nowMs))
    const said = text ?? `its session file says that it is ${status}`
    if (status === "stuck") recordReportedStuck({ db, world }, task, said)
    // One that is done and keeps reporting progress says nothing new.
    else if (status === "done" && turn.declared !== said) declareDone(db, turn, said, nowMs)
    else if (text !== null) setMessage(db, task, text)
    return undefined
  })
}
