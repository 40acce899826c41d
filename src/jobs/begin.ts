/** Begins a task's first job: session and first turn exist before anything is started. */
import { startJob } from "../store/jobs/start.ts"
import { addSession } from "../store/sessions/add.ts"
import { transaction } from "../store/sql.ts"
import { recordTask } from "../store/tasks/record.ts"
import type { Task } from "../store/tasks/row.ts"
import { openTurn } from "../store/turns/open.ts"
import type { JobsContext } from "./context.ts"

/** The first turn's prompt is the task's, byte for byte. */
export function beginTask({ db, world, mintSessionId }: JobsContext, task: Task): void {
  transaction(db, () => {
    const nowMs = world.nowMs()
    if (!recordTask(db, task, { event: "started" }, nowMs)) return
    const job = startJob(db, task.id, nowMs)
    const session = mintSessionId()
    addSession(db, { id: session, job: job.id }, nowMs)
    openTurn(db, { task: task.id, session, prompt: task.prompt }, nowMs)
  })
}
