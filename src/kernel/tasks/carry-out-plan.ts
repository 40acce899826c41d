/**
 * Begins to carry out a plan: in the conversation that wrote it, or in a fresh one of the task's own
 * agent if another agent planned.
 */
import type { SessionId } from "../../base/ids.ts"
import type { Db } from "../store/open.ts"
import { transaction } from "../store/sql.ts"
import { carryOutPrompt, otherPlanPrompt } from "./prompts/plan.ts"
import { continueJob } from "./rows/jobs/record.ts"
import type { Task } from "./rows/row.ts"
import { addSession } from "./rows/sessions/record.ts"
import { setStandIn } from "./rows/stand-in.ts"
import { openNextTurn, openTurn } from "./rows/turns/open.ts"

type Approved = {
  readonly isApproved: boolean
  mintSessionId(): SessionId
  readonly nowMs: number
}

/** Call it in the transaction that records the plan's approval, after that. */
export function carryOutPlan(db: Db, task: Task, approved: Approved): void {
  const { isApproved, mintSessionId, nowMs } = approved
  const { id } = task
  transaction(db, () => {
    if (task.planner === null) {
      openNextTurn(db, { task: id, prompt: carryOutPrompt(isApproved) }, nowMs)
      return
    }
    setStandIn(db, id, null) // the stand-in worked for the planner
    const session = mintSessionId()
    addSession(db, { id: session, job: continueJob(db, id, nowMs).id }, nowMs)
    openTurn(db, { task: id, session, prompt: otherPlanPrompt(task, isApproved) }, nowMs)
  })
}
