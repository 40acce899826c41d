/** What a person can do with a task, and events of its life in words that a person understands. */
import type { LandMode, StrategyName } from "./config.ts"
import { next } from "./machine.ts"
import { restartState, TASK, type TaskEvent, type TaskState } from "./task.ts"

/** What a person can ask of a task. */
export type Action = "approve" | "reject" | "land" | "restart" | "cancel"

/** As much of a task as decides what is possible. */
export type Actionable = {
  /** Null: no agent of ours did the work, so none can go on with it. */
  readonly agent: string | null
  readonly state: TaskState
  readonly land: LandMode
  readonly strategy: StrategyName | null
  readonly returnsTo: TaskState | null
}

const ACTIONS: readonly Action[] = ["approve", "reject", "land", "restart", "cancel"]

/** The event by which `action` would move the task. The table may refuse it. */
export function eventOf(action: Action, { state, returnsTo }: Actionable): TaskEvent {
  if (action === "approve") return "approved"
  if (action === "reject") return "rejected"
  if (action === "land") return state === "in_approval" ? "approved" : "landingRequested"
  if (action === "cancel") return "cancelled"
  return `restarted:${state === "stuck" ? restartState(returnsTo) : "working"}`
}

/**
 * What a person can do with the task now.
 *
 * Not all that the table accepts: of a working task the agent's end requests the landing, and what
 * has landed is not landed again.
 */
export function possibleActions(task: Actionable): Action[] {
  return ACTIONS.filter((action) => {
    if (action === "land" && ["registered", "working"].includes(task.state)) return false
    if ((action === "restart" || action === "reject") && task.agent === null) return false
    if (action === "land" && task.strategy === "static") return false // nothing of it is ours
    if (action === "land" && task.state === "complete") return task.land === "none"
    return next(TASK, task.state, eventOf(action, task)) !== undefined
  })
}

/** What a task that accepts `event` does: `it cannot <verb>` is a sentence. */
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
  changesRequested: "have changes requested",
  pullRequestMerged: "have its pull request merged",
  approvalRequested: "be put up for approval",
  approved: "be approved",
  rejected: "be rejected",
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

/** An event without what stands behind its colon. */
type Simple<Event extends string> = Event extends `${infer Words}:${string}` ? Words : Event
