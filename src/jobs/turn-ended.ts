/**
 * Decides what follows a turn, and waits for it as long as the agent may wait.
 *
 * Called in the agent's Stop hook, so the conversation is still alive. Work that comes back at once
 * extends it. If the verdict takes longer, the session is resumed with a next turn.
 */
import type { SessionId, TaskId } from "../core/ids.ts"
import { isPublished } from "../core/landing.ts"
import { hasTurns, type Reason } from "../core/task.ts"
import type { Turn, TurnEnd } from "../runtimes/runtime.ts"
import { findHeldBy } from "../store/dependencies.ts"
import { findLandingOfTask } from "../store/landings/find.ts"
import { transaction } from "../store/sql.ts"
import { findTask } from "../store/tasks/find.ts"
import { beginTurn } from "../store/turns/begin.ts"
import { endTurn } from "../store/turns/end.ts"
import { findOpenTurn } from "../store/turns/find.ts"
import { untilStored } from "../store/until.ts"
import { followTurn, type Rows } from "./follow-turn.ts"
import { handOver } from "./hand-over.ts"

type Ending = {
  readonly end: TurnEnd
  /** Describes work that does not land and stays where it is. */
  readonly left?: Reason | null
  readonly signal: AbortSignal
  /** How long the agent may wait for the verdict. */
  readonly verdictMsMax: number
  /** Only work that the agent declared done lands. */
  readonly requireDone: boolean
  /** Whether another turn may begin now. */
  mayGoOn(): boolean
  mintSessionId(): SessionId
}

type Ended = { readonly task: TaskId; readonly session: SessionId }

export async function turnEnded(
  context: Rows,
  id: TaskId,
  ending: Ending,
): Promise<Turn | undefined> {
  const { db, world } = context
  const { end, left = null, signal, verdictMsMax, requireDone } = ending
  const ended = transaction(db, () => {
    const turn = findOpenTurn(db, id)
    const now = findTask(db, id)
    // A turn that ended just as its task was stopped stays open, and is repeated when the task goes
    // on.
    const isHalted = now?.state === "paused" || now?.deletion != null
    if (turn?.n !== end.n || isHalted) return undefined
    endTurn(db, turn, { usage: end.usage, message: end.message }, world.nowMs())
    const task = findTask(db, id) // now with the agent's last message
    const isUndeclared = requireDone && turn.declared === null
    const goesOn = task && hasTurns(task.state)
    if (goesOn && end.isHandoff)
      handOver(context, task, { session: ending.mintSessionId(), document: end.message ?? "" })
    else if (goesOn) followTurn(context, task, { isUndeclared, left })
    return { task: id, session: turn.session }
  })
  if (!ended) return undefined
  const limit = AbortSignal.any([signal, AbortSignal.timeout(verdictMsMax)])
  return untilStored(db, () => readVerdict(context, ended, ending), limit)
}

/** The session's next turn; undefined once there will be none for now. */
function readVerdict(
  { db, world }: Rows,
  { task: id, session }: Ended,
  { mayGoOn }: Pick<Ending, "mayGoOn">,
): Turn | undefined | "pending" {
  const task = findTask(db, id)
  const turn = findOpenTurn(db, id)
  if (task && hasTurns(task.state) && turn?.session === session) {
    if (!mayGoOn()) return undefined
    beginTurn(db, turn, world.nowMs())
    return { n: turn.n, prompt: turn.prompt, repeated: false, phase: task.state }
  }
  if (task?.state !== "merging") return undefined
  const landing = findLandingOfTask(db, id)
  if (!landing || isPublished(landing.state)) return undefined
  const isHeld = landing.state === "queued" && findHeldBy(db, id) !== undefined
  const isBlocked = landing.state === "waiting" && !BRIEF_WAITS.includes(landing.outcome ?? "")
  const waitsLong = isHeld || isBlocked
  return waitsLong ? undefined : "pending"
}

/** Waits that take a moment, so keeping the agent is cheaper than resuming it. */
const BRIEF_WAITS = ["LOCKED", "UPDATE_REF_FAILED"]
