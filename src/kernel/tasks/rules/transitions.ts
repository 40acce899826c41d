/** The actions that a person can take on a task, and words for the events of its life. */

import { next } from "../../../base/machine.ts"
import type { LandMode } from "../../landing/rules/landing-states.ts"
import { isLanding } from "../../landing/rules/landing-states.ts"
import { LANDING, type LandingState } from "../../landing/rules.ts"
import { type ActiveState, restartState, TASK, type TaskEvent, type TaskState } from "../rules.ts"
import { ACTIONS, type Action, possibleText } from "./action.ts"
import type { StrategyName } from "./strategies.ts"

/** The part of a task that decides which actions are possible. */
export type Actionable = {
  /** Null: a person did the work, so no agent can continue it. */
  readonly agent: string | null
  readonly state: TaskState
  readonly land: LandMode
  readonly strategy: StrategyName | null
  readonly returnsTo: TaskState | null
  /** Set if it gives a second opinion on another task. */
  readonly reviewOf?: unknown
  /** The state of its latest landing; null: it has none; undefined: the task's state alone decides. */
  readonly landingState?: LandingState | null
  /** Undefined: they are there. */
  readonly repos?: readonly { readonly worktree: string | null }[]
}

/** The actions that are an event of the table. `delete` is not. */
type Moving = Exclude<Action, "delete">

/** The event by which `action` would move the task. The table may refuse it. */
export function eventOf(action: Moving, { state, returnsTo }: Actionable): TaskEvent {
  const isPlan = state === "planning_complete"
  switch (action) {
    case "approve":
      return isPlan ? "planApproved" : "approved"
    case "reject":
      return isPlan ? "planRejected" : "rejected"
    case "say":
      return "told"
    case "land":
      return state === "in_approval" ? "approved" : "landingRequested"
    case "pause":
      return "paused"
    case "resume":
      return state === "paused"
        ? `resumed:${isReturn(returnsTo) ? returnsTo : "working"}`
        : "resumed"
    case "restart":
      return `restarted:${state === "stuck" ? restartState(returnsTo) : "working"}`
    case "cancel":
      return "cancelled"
  }
}

const isReturn = (state: TaskState | null): state is ActiveState | "stuck" =>
  state !== null && next(TASK, "paused", `resumed:${state as ActiveState}`) !== undefined

/**
 * The actions that are possible now. The daemon alone asks here: for refusals, for `why`, and for its clients,
 * who read the answer in a task's document.
 *
 * Fewer than the table accepts: a working task lands when its agent ends, and a landed task does not
 * land again. And one more: `land` wakes a landing that waits.
 */
export function possibleActions(task: Actionable): Action[] {
  return ACTIONS.filter((action) => isPossible(action, task))
}

/** The same for documents: none while a person is attached, although their program may just have ended. */
export const offeredActions = (task: Actionable & { readonly attached: unknown }): Action[] =>
  task.attached === null ? possibleActions(task) : []

/** The same as a sentence, for an error message. */
export const possibleNow = (task: Actionable): string => possibleText(possibleActions(task))

function isPossible(action: Action, task: Actionable): boolean {
  const { state, agent, strategy, landingState } = task
  if (STOPPING.includes(action) && isTooLate(task)) return false
  if (action === "delete") return true
  if (state === "complete" && task.reviewOf != null) return false // the review's verdict is given
  if (state === "merging" && (action === "approve" || action === "reject"))
    return landingState === "in_review" && (action === "approve" || agent !== null)
  if (action === "land" && isLanding(state)) return landingState === "waiting"
  if (action === "land" && state === "working") return agent === null // else its agent decides when
  if (action === "land" && state === "registered") return false
  if (action === "land" && strategy === "static") return false // the task's folder is the user's
  if (action === "land" && state === "complete") return hasKept(task)
  const isDecided = state === "in_approval" && (landingState ?? "in_review") !== "in_review"
  if (isDecided && DECIDING.includes(action)) return false
  const needsAgent = action === "restart" || action === "reject" || action === "say"
  if (agent === null && (needsAgent || (action === "resume" && state === "complete"))) return false
  if (action === "say" && LISTENS.includes(state)) return true // delivered when its turn ends
  return next(TASK, state, eventOf(action, task)) !== undefined
}

const STOPPING: readonly Action[] = ["pause", "cancel", "delete"]

/** The target may have moved already: the landing runs to its end. */
const isTooLate = ({ state, landingState }: Actionable): boolean =>
  isLanding(state) &&
  (landingState === "publishing" || landingState === "cleaning") &&
  next(LANDING, landingState, "cancelled") === undefined

/** The actions that decide about the work in review. */
const DECIDING: readonly Action[] = ["approve", "reject", "say", "land"]

/** Work that did not land is in its worktree. */
const hasKept = ({ land, repos }: Actionable): boolean =>
  land === "none" && (repos?.some(({ worktree }) => worktree !== null) ?? true)

/** An agent works, or will. */
const LISTENS: readonly TaskState[] = ["registered", "planning", "working"]

/** The verb for `event`, as in `it cannot <verb>`. */
export function verbOf(event: TaskEvent): string {
  const words = event.split(":", 1).join("")
  return VERBS[words as keyof typeof VERBS]
}

const VERBS = {
  planStarted: "be planned",
  planned: "finish its plan",
  planApproved: "have its plan approved",
  planRejected: "have its plan rejected",
  started: "be started",
  shippingStarted: "be shipped",
  pullRequestOpened: "have a pull request opened",
  reviewsPassed: "pass its reviews",
  reviewsReopened: "have its reviews opened again",
  changesRequested: "have changes requested",
  pullRequestMerged: "have its pull request merged",
  approvalRequested: "be put up for approval",
  approved: "be approved",
  reviewed: "be reviewed",
  rejected: "be rejected",
  told: "take a message",
  landingRequested: "be landed",
  landed: "be recorded as landed",
  handedBack: "be handed back to its agent",
  landingFailed: "fail to land",
  finished: "be finished",
  gotStuck: "get stuck",
  paused: "be paused",
  cancelled: "be cancelled",
  resumed: "be resumed",
  restarted: "be restarted",
} as const satisfies Record<Simple<TaskEvent>, string>

/** An event without the part after its colon. */
type Simple<Event extends string> = Event extends `${infer Words}:${string}` ? Words : Event
