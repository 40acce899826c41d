/** Starts a stopped task again: a fresh conversation in the same worktree. */
import { restartPrompt } from "../../core/restart-prompt.ts"
import { restartState } from "../../core/task.ts"
import { startJob } from "../../store/jobs/start.ts"
import { findLandingOfTask } from "../../store/landings/find.ts"
import { addSession } from "../../store/sessions/add.ts"
import { transaction } from "../../store/sql.ts"
import { recordTask } from "../../store/tasks/record.ts"
import type { Task } from "../../store/tasks/row.ts"
import { openTurn } from "../../store/turns/open.ts"
import type { Fleet } from "../fleet.ts"
import { mintSessionId } from "../session-id.ts"

/** @throws {TransitionRefused} (user) unless the task is stuck or its landing failed. */
export function restart({ db, world }: Fleet, task: Task): void {
  transaction(db, () => {
    const nowMs = world.nowMs()
    const event =
      task.state === "stuck"
        ? (`restarted:${restartState(task.returnsTo)}` as const)
        : "restarted:working"
    recordTask(db, task, { event }, nowMs)
    const { id: job } = startJob(db, task.id, nowMs)
    const session = mintSessionId()
    addSession(db, { id: session, job }, nowMs)
    const landing = findLandingOfTask(db, task.id)
    const prompt = restartPrompt(task, landing?.state === "failed" ? landing.reason : null)
    openTurn(db, { task: task.id, session, prompt }, nowMs)
  })
}
