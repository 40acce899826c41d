/**
 * Decides what follows a turn, and waits for it as long as the agent may be kept waiting.
 *
 * Called in the agent's Stop hook, so the conversation is still alive: work that comes back at
 * once extends it. A verdict that takes longer resumes the session as a next turn instead.
 */
import { isTransient } from "../core/errors.ts"
import { branchRef, type SessionId, type TaskId } from "../core/ids.ts"
import { isPublished } from "../core/landing.ts"
import type { Turn, TurnEnd } from "../runtimes/runtime.ts"
import { findHeldBy } from "../store/dependencies/find-held-by.ts"
import { addLanding } from "../store/landings/add.ts"
import { findLandingOfTask } from "../store/landings/find.ts"
import { recordLanding } from "../store/landings/record.ts"
import { onCommit, transaction } from "../store/sql.ts"
import { findTask } from "../store/tasks/find.ts"
import { recordTask } from "../store/tasks/record.ts"
import type { Task } from "../store/tasks/row.ts"
import { beginTurn } from "../store/turns/begin.ts"
import { endTurn } from "../store/turns/end.ts"
import { findOpenTurn } from "../store/turns/find-open.ts"
import type { JobsContext } from "./context.ts"

type Rows = Pick<JobsContext, "db" | "world">

type Ending = {
  readonly end: TurnEnd
  readonly signal: AbortSignal
  /** How long the agent may be kept waiting. */
  readonly verdictMsMax: number
}

type Ended = { readonly task: TaskId; readonly session: SessionId }

/** While the disk is full. */
const TRY_AGAIN_MS = 1_000

export async function turnEnded(
  context: Rows,
  id: TaskId,
  { end, signal, verdictMsMax }: Ending,
): Promise<Turn | undefined> {
  const { db, world } = context
  const ended = transaction(db, () => {
    const turn = findOpenTurn(db, id)
    if (turn?.n !== end.n) return undefined
    endTurn(db, turn, { usage: end.usage, message: end.message }, world.nowMs())
    const task = findTask(db, id)
    if (task?.state === "working") follow(context, task)
    return { task: id, session: turn.session }
  })
  if (!ended) return undefined
  return awaitVerdict(context, ended, AbortSignal.any([signal, AbortSignal.timeout(verdictMsMax)]))
}

function follow(context: Rows, task: Task): void {
  const { db, world } = context
  const nowMs = world.nowMs()
  // A person had it landed all the same, and it came back.
  const isAsked = findLandingOfTask(db, task.id)?.state === "handed_back"
  if (task.land === "none" && !isAsked) recordTask(db, task, { event: "finished" }, nowMs)
  else submitLanding(context, task)
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
function awaitVerdict(
  context: Rows,
  { task, session }: Ended,
  signal: AbortSignal,
): Promise<Turn | undefined> {
  const verdict = Promise.withResolvers<Turn | undefined>()
  let timer: NodeJS.Timeout | undefined
  const look = () => {
    try {
      const read = readVerdict(context, { task, session })
      if (read !== "pending") verdict.resolve(read)
    } catch (error) {
      if (isTransient(error)) timer = setTimeout(look, TRY_AGAIN_MS)
      else verdict.reject(error)
    }
  }
  const giveUp = () => verdict.resolve(undefined)
  // A listener must not write, so the look itself comes right after the commit.
  let soon: NodeJS.Immediate | undefined
  const unsubscribe = onCommit(context.db, () => {
    soon ??= setImmediate(() => {
      soon = undefined
      look()
    })
  })
  signal.addEventListener("abort", giveUp)
  if (signal.aborted) giveUp()
  else look()
  return verdict.promise.finally(() => {
    unsubscribe()
    clearImmediate(soon)
    clearTimeout(timer)
    signal.removeEventListener("abort", giveUp)
  })
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
