/** Starts a task's first job: session and first turn are recorded before anything runs. */

import type { JobId, SessionId } from "../../base/ids.ts"
import { abilitiesOf } from "../../config/runtimes.ts"
import { transaction } from "../store/sql.ts"
import type { JobsContext } from "./context.ts"
import { furtherTaskPrompt } from "./prompts/fresh-conversation.ts"
import { planPrompt } from "./prompts/plan.ts"
import { type Attachments, listAttached } from "./rows/attached.ts"
import { startJob } from "./rows/jobs/record.ts"
import { recordTask } from "./rows/record.ts"
import type { Task } from "./rows/row.ts"
import { latestSession } from "./rows/sessions/find.ts"
import { addSession, joinSession } from "./rows/sessions/record.ts"
import { openTurn } from "./rows/turns/open.ts"

type Beginning = Pick<JobsContext, "db" | "world" | "mintSessionId" | "findAgent" | "forks"> &
  Attachments

/**
 * The first turn's prompt is the task's, byte for byte. If the task has to plan first, or continues
 * an earlier conversation, an agent's prompt also says so. A command learns it from COPPICE_PHASE.
 */
export function beginTask(context: Beginning, task: Task): void {
  const { db, world, findAgent, forks } = context
  transaction(db, () => {
    const nowMs = world.nowMs()
    const plans = task.planMode !== "none"
    if (!recordTask(db, task, { event: plans ? "planStarted" : "started" }, nowMs)) return
    const agent = findAgent(task)
    const isExact = agent !== undefined && abilitiesOf(agent.runtime).prompts === "exact"
    const earlier = findEarlier(context, task)
    const taskPrompt = plans && !isExact ? planPrompt(task.prompt) : task.prompt
    const forkOf = earlier === undefined ? forks.findCopied(task.id) : undefined
    const introduce = earlier ? furtherTaskPrompt : forkOf ? forks.introduce : undefined
    const prompt = introduce && !isExact ? introduce(taskPrompt) : taskPrompt
    const job = startJob(db, task.id, nowMs)
    const session = earlier ?? addFresh(context, { job: job.id, forkOf }, nowMs)
    joinSession(db, { id: session, job: job.id })
    openTurn(db, { task: task.id, session, prompt }, nowMs)
  })
}

/** The agent's conversation on this work item, unless a person has it open now. */
function findEarlier({ db, findAttached }: Beginning, task: Task): SessionId | undefined {
  const { id, agent, workItem } = task
  if (workItem === null || agent === null || task.planner !== null) return undefined
  const all = listAttached(db, { agent, workItem })
  const isOpen = all.some((attached) => findAttached(attached) !== undefined)
  return isOpen ? undefined : latestSession(db, id)?.id
}

function addFresh(
  { db, mintSessionId }: Beginning,
  made: { readonly job: JobId; readonly forkOf: SessionId | undefined },
  nowMs: number,
): SessionId {
  const id = mintSessionId()
  addSession(db, { id, ...made }, nowMs)
  return id
}
