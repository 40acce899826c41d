/** Begins a task's first job: session and first turn exist before anything is started. */
import { planPrompt } from "../core/plan-prompt.ts"
import { startJob } from "../store/jobs/start.ts"
import { addSession } from "../store/sessions/add.ts"
import { transaction } from "../store/sql.ts"
import { recordTask } from "../store/tasks/record.ts"
import type { Task } from "../store/tasks/row.ts"
import { openTurn } from "../store/turns/open.ts"
import type { JobsContext } from "./context.ts"

/**
 * The first turn's prompt is the task's, byte for byte; where it is to plan first, an agent is told
 * that below it, and a command by COPPICE_PHASE.
 */
export function beginTask({ db, world, mintSessionId, findAgent }: JobsContext, task: Task): void {
  transaction(db, () => {
    const nowMs = world.nowMs()
    const plans = task.planMode !== "none"
    if (!recordTask(db, task, { event: plans ? "planStarted" : "started" }, nowMs)) return
    const isCommand = task.agent !== null && findAgent(task.agent)?.runtime === "command"
    const prompt = plans && !isCommand ? planPrompt(task.prompt) : task.prompt
    const job = startJob(db, task.id, nowMs)
    const session = mintSessionId()
    addSession(db, { id: session, job: job.id }, nowMs)
    openTurn(db, { task: task.id, session, prompt }, nowMs)
  })
}
