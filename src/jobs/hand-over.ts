/** Starts a fresh conversation when one is full: same job, same worktree, empty context. */

import type { SessionId } from "../core/ids.ts"
import { takeOverPrompt } from "../core/prompts/fresh.ts"
import { planPrompt } from "../core/prompts/plan.ts"
import { repliesPrompt } from "../core/prompts/words.ts"
import { appendEvent } from "../store/events.ts"
import { continueJob } from "../store/jobs/record.ts"
import { takeWords } from "../store/messages.ts"
import { addSession } from "../store/sessions/record.ts"
import type { Task } from "../store/tasks/row.ts"
import { openTurn } from "../store/turns/open.ts"
import type { Rows } from "./context.ts"

/**
 * Call it in the transaction that ends the turn. The old conversation finds no turn of its own and
 * ends its process; only then does the loop start the next one.
 */
export function handOver(
  { db, world }: Rows,
  task: Task,
  next: { readonly session: SessionId; readonly document: string },
): void {
  const nowMs = world.nowMs()
  const { session, document } = next
  const phase = task.state === "planning" ? "planning" : "working"
  const wanted = phase === "planning" ? planPrompt(task.prompt) : task.prompt
  const plan = phase === "planning" ? null : task.plan
  const told = repliesPrompt(takeWords(db, task.id, nowMs), phase)
  const { id: job } = continueJob(db, task.id, nowMs)
  addSession(db, { id: session, job }, nowMs)
  openTurn(
    db,
    { task: task.id, session, prompt: takeOverPrompt({ wanted, plan, document, told }) },
    nowMs,
  )
  appendEvent(db, { type: "session.handed_over", task: task.id, data: { session } }, nowMs)
}
