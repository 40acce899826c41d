/**
 * Ends a turn: everything between the moment when the agent stops and its landing or next turn.
 *
 *   pause the clock ─► look at its files ─► release the worktrees ─► record what follows, at once
 *
 *   a next turn, or a landing that hands it back ─► share the worktrees ─► start the clock
 *
 * A runtime calls it while the agent's process is alive (in Claude's Stop hook), so work that comes
 * back quickly continues the conversation. If the verdict takes longer, the next turn resumes the session.
 */
import { assert } from "../../base/assert.ts"
import { branchRef, type SessionId } from "../../base/ids.ts"
import type { AgentConfig } from "../../config/config.ts"
import { awaitsSubTasks } from "../../features/sub-tasks/rows.ts"
import { addLanding } from "../landing/rows/add.ts"
import { findLandingOfTask } from "../landing/rows/find.ts"
import { recordLanding } from "../landing/rows/record.ts"
import { isPublishedState } from "../landing/rules.ts"
import type { Turn, TurnEnd } from "../runtime/runtime.ts"
import { appendEvent } from "../store/events.ts"
import { transaction } from "../store/sql.ts"
import { untilStored } from "../store/wait-until.ts"
import { lookAtSettings } from "../workspaces/look-at-settings.ts"
import { releasePorts } from "../workspaces/rows/ports.ts"
import type { PassingStashes } from "../workspaces/stashes/passing-stashes.ts"
import { carryOutPlan } from "./carry-out-plan.ts"
import type { JobsContext, Rows } from "./context.ts"
import { describeFolderChanges, reportLostWorktree, reportPlanChanges } from "./left-changes.ts"
import { type Blocking, findBlocker } from "./may-begin.ts"
import { handoffPrompt } from "./prompts/fresh-conversation.ts"
import { repliesPrompt } from "./prompts/messages.ts"
import { planPrompt } from "./prompts/plan.ts"
import { findHeldBy } from "./rows/dependencies.ts"
import { findTask } from "./rows/find.ts"
import { continueJob } from "./rows/jobs/record.ts"
import { takeUndelivered } from "./rows/messages.ts"
import { listOpenQuestions } from "./rows/questions/list.ts"
import { recordTask } from "./rows/record.ts"
import type { Task } from "./rows/row.ts"
import { addSession } from "./rows/sessions/record.ts"
import { setPlan } from "./rows/texts.ts"
import { beginTurn } from "./rows/turns/begin.ts"
import { closeTurn } from "./rows/turns/end.ts"
import { findOpenTurn } from "./rows/turns/find.ts"
import { openReplyTurn, openTurn } from "./rows/turns/open.ts"
import { isHalted } from "./rules/duty.ts"
import { isAwaited } from "./rules/question.ts"
import { hasTurns, type Reason } from "./rules.ts"
import type { SessionLog } from "./session-log.ts"
import type { SharedWorktrees } from "./shared-worktrees.ts"
import { lookAfterStashesOf } from "./stashes.ts"
import type { TurnClock } from "./turn-clock.ts"

/** A session whose agent runs. */
export type Running = {
  readonly task: Task
  readonly agent: AgentConfig
  readonly log: SessionLog
  /** Runs during a turn; waiting for a verdict does not count. */
  readonly clock: TurnClock
  /** Held during a turn; between two turns a landing may lock the worktrees. */
  readonly worktrees: SharedWorktrees
  readonly stashes: PassingStashes
  readonly signal: AbortSignal
}

type Verdict = Blocking & Pick<JobsContext, "imagesOf">
type Ending = Verdict &
  Pick<JobsContext, "takeReport" | "mintSessionId" | "exchangeCommits" | "commitKept" | "home">

/** @returns the session's next turn; undefined if the agent must stop. */
export async function endTurn(
  context: Ending,
  running: Running,
  end: TurnEnd,
): Promise<Turn | undefined> {
  const { task, log, clock, worktrees, stashes } = running
  clock.pause()
  log.closeTurn()
  context.takeReport(task.id)
  await context.exchangeCommits(task.id, { isEnd: true })
  await lookAfterStashesOf(context, task, stashes)
  const left = await lookAtFiles(context, task, end)
  worktrees.release()
  const session = recordEnd(context, running, { end, left })
  const next = session && (await awaitVerdict(context, running, session))
  if (!next) return undefined
  await worktrees.share()
  await lookAfterStashesOf(context, task)
  await context.exchangeCommits(task.id, { isEnd: false })
  clock.start()
  return next
}

/** @returns a description of work that does not land and stays where it is. */
async function lookAtFiles(context: Ending, task: Task, end: TurnEnd): Promise<Reason | null> {
  const now = findTask(context.db, task.id)
  if (now?.state === "planning") await reportPlanChanges(context, task)
  reportLostWorktree(context, task)
  for (const { path } of task.repos) await lookAtSettings(context.db, path, context.world.nowMs())
  if (task.strategy === "static") return await describeFolderChanges(task)
  if (!now || end.isHandoff || !staysOnBranch(context, now)) return null
  const lastMessage = end.message ?? now.lastMessage
  const left = await context.commitKept({ ...now, lastMessage })
  return left.length > 0 ? { code: "left_in_place", text: left.join(" ") } : null
}

/** Whether the turn is probably its last one. A commit that comes too early does no harm. */
function staysOnBranch(context: Rows, task: Task): boolean {
  const { db } = context
  if (task.state !== "working" || task.reviewOf !== null || mustLand(context, task)) return false
  return !listOpenQuestions(db, task.id).some(isAwaited) && !awaitsSubTasks(db, task.id)
}

/** @returns the turn's session; undefined if this was not the end of the task's open turn. */
function recordEnd(
  context: Ending,
  { task: { id }, agent }: Running,
  { end, left }: { readonly end: TurnEnd; readonly left: Reason | null },
): SessionId | undefined {
  const { db, world } = context
  return transaction(db, () => {
    const turn = findOpenTurn(db, id)
    const now = findTask(db, id)
    // If the task was stopped at this very moment, the turn stays open and is repeated on resume.
    if (turn?.n !== end.n || (now && isHalted(now))) return undefined
    closeTurn(db, turn, { usage: end.usage, message: end.message }, world.nowMs())
    const task = findTask(db, id) // now with the agent's last message
    const isUndeclared = agent.landing.requireDone && turn.declared === null
    const continues = task && hasTurns(task.state)
    if (continues && end.isHandoff)
      openHandoffTurn(context, task, {
        session: context.mintSessionId(),
        document: end.message ?? "",
      })
    else if (continues) followTurn(context, task, { isUndeclared, left })
    return turn.session
  })
}

type Minting = Rows & Pick<JobsContext, "mintSessionId">

type Stop = {
  /** The turn ended without `done`, and the configuration requires it. */
  readonly isUndeclared: boolean
  /** Work that the agent left in a static folder. */
  readonly left: Reason | null
}

/**
 * Decides what comes next for a task that is planning or working and has no open turn. Call it in
 * the transaction that ends the turn or resumes the task, so that a crash leaves all of it or nothing.
 */
export function followTurn(context: Minting, task: Task, { isUndeclared, left }: Stop): void {
  const { db, world } = context
  if (openReplyTurn(db, task.id, world.nowMs())) return
  if (listOpenQuestions(db, task.id).some(isAwaited)) return // the answer opens its next turn
  const plans = task.state === "planning"
  if (!plans && awaitsSubTasks(db, task.id)) return // the end of one opens its next turn
  if (plans) recordPlan(context, task)
  else if (isUndeclared && task.reviewOf === null)
    recordTask(db, task, { event: "gotStuck", reason: UNDECLARED }, world.nowMs())
  else if (mustLand(context, task)) submitLanding(context, task)
  else finish(context, task, left)
}

function finish({ db, world }: Rows, task: Task, reason: Reason | null): void {
  recordTask(db, task, { event: "finished", reason }, world.nowMs())
  if (task.strategy === "static")
    // the task's folder stays, but nothing uses its ports any more
    for (const { name } of task.repos) releasePorts(db, { task: task.id, name })
}

const UNDECLARED = {
  code: "needs_decision",
  text: "its agent stopped without saying `done`, and `landing.require_done` is set",
} as const

/** The agent's last message is the plan. A plan that needs no approval is carried out at once. */
function recordPlan({ db, world, mintSessionId }: Minting, task: Task): void {
  const nowMs = world.nowMs()
  setPlan(db, task.id, task.lastMessage ?? "")
  recordTask(db, task, { event: "planned" }, nowMs)
  if (task.planMode === "approve") return
  const planned = findTask(db, task.id)
  assert(planned, "the planned task exists")
  recordTask(db, planned, { event: "planApproved" }, nowMs)
  carryOutPlan(db, planned, { isApproved: false, mintSessionId, nowMs })
}

/** Also true if a person requested the landing, and it handed the work back. */
function mustLand({ db }: Rows, { id, land }: Task): boolean {
  return land !== "none" || findLandingOfTask(db, id)?.state === "handed_back"
}

function submitLanding({ db, world }: Rows, task: Task): void {
  const nowMs = world.nowMs()
  const event = task.land === "pr" ? "shippingStarted" : "landingRequested"
  recordTask(db, task, { event }, nowMs)
  const landing = findLandingOfTask(db, task.id)
  const again = { event: "resubmitted", attempts: 0, races: 0 } as const
  if (landing?.state === "handed_back") recordLanding(db, landing, again, nowMs)
  else if (landing?.state === "failed")
    recordLanding(db, landing, { ...again, handbacks: 0 }, nowMs) // a person restarted it
  else {
    const repos = task.repos.map(({ name, path, target }) => ({
      name,
      path,
      target: branchRef(target),
    }))
    addLanding(db, { task: task.id, repos }, nowMs)
  }
}

/** Waits for as long as the agent's hook may take. @returns as `endTurn`. */
function awaitVerdict(
  context: Ending,
  { task, agent, signal }: Running,
  session: SessionId,
): Promise<Turn | undefined> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(agent.landing.hookWaitMs)])
  return untilStored(context.db, () => readVerdict(context, task, session), limit)
}

/** @returns undefined if the session has no next turn for now. */
function readVerdict(
  context: Verdict,
  { id }: Task,
  session: SessionId,
): Turn | undefined | "pending" {
  const { db, world } = context
  const task = findTask(db, id)
  const turn = findOpenTurn(db, id)
  if (task && hasTurns(task.state) && turn?.session === session) {
    if (findBlocker(context, id)) return undefined
    beginTurn(db, turn, world.nowMs())
    const images = context.imagesOf(id, turn.n)
    return { n: turn.n, prompt: turn.prompt, repeated: false, phase: task.state, images }
  }
  if (task?.state !== "merging") return undefined
  const landing = findLandingOfTask(db, id)
  if (!landing || isPublishedState(landing.state)) return undefined
  const isHeld = landing.state === "queued" && findHeldBy(db, id) !== undefined
  const isBlocked = landing.state === "waiting" && !BRIEF_WAITS.includes(landing.outcome ?? "")
  const waitsLong = isHeld || isBlocked || landing.state === "in_review" // a reviewer needs the place
  return waitsLong ? undefined : "pending"
}

/** Waits that are short, so it is cheaper to keep the agent than to resume it. */
const BRIEF_WAITS = ["LOCKED", "UPDATE_REF_FAILED"]

/**
 * Opens the first turn of a new conversation, with the handoff document of the old one.
 *
 * Call it in the transaction that ends the turn. The old conversation finds no turn of its own and
 * ends its process; only then does the loop start the next one.
 */
export function openHandoffTurn(
  { db, world }: Rows,
  task: Task,
  next: { readonly session: SessionId; readonly document: string },
): void {
  const nowMs = world.nowMs()
  const { session, document } = next
  const phase = task.state === "planning" ? "planning" : "working"
  const wanted = phase === "planning" ? planPrompt(task.prompt) : task.prompt
  const plan = phase === "planning" ? null : task.plan
  const told = repliesPrompt(takeUndelivered(db, task.id, nowMs), phase)
  const { id: job } = continueJob(db, task.id, nowMs)
  addSession(db, { id: session, job }, nowMs)
  openTurn(
    db,
    { task: task.id, session, prompt: handoffPrompt({ wanted, plan, document, told }) },
    nowMs,
  )
  appendEvent(db, { type: "session.handed_over", task: task.id, data: { session } }, nowMs)
}
