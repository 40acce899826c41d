/**
 * Decides what follows a turn, and waits for it as long as the agent may be kept waiting.
 *
 * Called in the agent's Stop hook, so the conversation is still alive: work that comes back at
 * once extends it. A verdict that takes longer resumes the session as a next turn instead.
 */
import { branchRef, type SessionId, type TaskId } from "../core/ids.ts"
import { isPublished } from "../core/landing.ts"
import { isAwaited } from "../core/question.ts"
import type { Reason } from "../core/task.ts"
import type { Turn, TurnEnd } from "../runtimes/runtime.ts"
import { findHeldBy } from "../store/dependencies/find-held-by.ts"
import { addLanding } from "../store/landings/add.ts"
import { findLandingOfTask } from "../store/landings/find.ts"
import { recordLanding } from "../store/landings/record.ts"
import { releasePorts } from "../store/ports/release.ts"
import { listOpenQuestions } from "../store/questions/list.ts"
import { transaction } from "../store/sql.ts"
import { findTask } from "../store/tasks/find.ts"
import { recordTask } from "../store/tasks/record.ts"
import type { Task } from "../store/tasks/row.ts"
import { beginTurn } from "../store/turns/begin.ts"
import { endTurn } from "../store/turns/end.ts"
import { findOpenTurn } from "../store/turns/find-open.ts"
import { openAnsweredTurn } from "../store/turns/open-answered.ts"
import { untilStored } from "../store/until.ts"
import type { JobsContext } from "./context.ts"

type Rows = Pick<JobsContext, "db" | "world">

type Ending = {
  readonly end: TurnEnd
  /** What stays where it is, of work that does not land. */
  readonly left?: Reason | null
  readonly signal: AbortSignal
  /** How long the agent may be kept waiting. */
  readonly verdictMsMax: number
  /** Only what the agent declared done lands. */
  readonly requireDone: boolean
}

type Ended = { readonly task: TaskId; readonly session: SessionId }

export async function turnEnded(
  context: Rows,
  id: TaskId,
  { end, left = null, signal, verdictMsMax, requireDone }: Ending,
): Promise<Turn | undefined> {
  const { db, world } = context
  const ended = transaction(db, () => {
    const turn = findOpenTurn(db, id)
    if (turn?.n !== end.n) return undefined
    endTurn(db, turn, { usage: end.usage, message: end.message }, world.nowMs())
    const task = findTask(db, id)
    const isUndeclared = requireDone && turn.declared === null
    if (task?.state === "working") follow(context, task, { isUndeclared, left })
    return { task: id, session: turn.session }
  })
  if (!ended) return undefined
  return awaitVerdict(context, ended, AbortSignal.any([signal, AbortSignal.timeout(verdictMsMax)]))
}

const UNDECLARED = {
  code: "needs_decision",
  text: "its agent stopped without saying `done`, and `landing.require_done` is set",
} as const

type Stop = { readonly isUndeclared: boolean; readonly left: Reason | null }

function follow(context: Rows, task: Task, { isUndeclared, left }: Stop): void {
  const { db, world } = context
  const nowMs = world.nowMs()
  if (openAnsweredTurn(db, task.id, nowMs)) return
  if (listOpenQuestions(db, task.id).some(isAwaited)) return // the answer opens its next turn
  if (isUndeclared) {
    recordTask(db, task, { event: "gotStuck", reason: UNDECLARED }, nowMs)
    return
  }
  // A person had it landed all the same, and it came back.
  const isAsked = findLandingOfTask(db, task.id)?.state === "handed_back"
  if (task.land !== "none" || isAsked) submitLanding(context, task)
  else recordTask(db, task, { event: "finished", reason: left }, nowMs)
  if (task.strategy === "static")
    // its folder stays, but nothing of it needs them any more
    for (const { name } of task.repos) releasePorts(db, { task: task.id, name })
}

function submitLanding({ db, world }: Rows, task: Task): void {
  const nowMs = world.nowMs()
  recordTask(db, task, { event: "landingRequested" }, nowMs)
  const landing = findLandingOfTask(db, task.id)
  const again = { event: "resubmitted", attempts: 0, races: 0 } as const
  if (landing?.state === "handed_back") recordLanding(db, landing, again, nowMs)
  else if (landing?.state === "failed")
    recordLanding(db, landing, { ...again, handbacks: 0 }, nowMs) // a person had it started again
  else {
    const repos = task.repos.map(({ name, path, target }) => ({
      name,
      path,
      target: branchRef(target),
    }))
    addLanding(db, { task: task.id, repos }, nowMs)
  }
}

/** Waits for a next turn of the session, or for the moment from which there will be none for now. */
function awaitVerdict(context: Rows, ended: Ended, signal: AbortSignal): Promise<Turn | undefined> {
  return untilStored(context.db, () => readVerdict(context, ended), signal)
}

function readVerdict(
  { db, world }: Rows,
  { task: id, session }: Ended,
): Turn | undefined | "pending" {
  const task = findTask(db, id)
  const turn = findOpenTurn(db, id)
  if (task?.state === "working" && turn?.session === session) {
    beginTurn(db, turn, world.nowMs())
    return { n: turn.n, prompt: turn.prompt, repeated: false }
  }
  if (task?.state !== "merging") return undefined
  const landing = findLandingOfTask(db, id)
  if (!landing || isPublished(landing.state)) return undefined
  const isHeld = landing.state === "queued" && findHeldBy(db, id) !== undefined
  const isBlocked = landing.state === "waiting" && !BRIEF_WAITS.includes(landing.outcome ?? "")
  const waitsLong = isHeld || isBlocked
  return waitsLong ? undefined : "pending"
}

/** Waits that are over in a moment, so that the agent is kept rather than resumed. */
const BRIEF_WAITS = ["LOCKED", "UPDATE_REF_FAILED"]
