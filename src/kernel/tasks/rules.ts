/**
 * The life of a task, as one table.
 *
 *   registered → working → merging → complete                                     the everyday path
 *   registered → working → shipping → reviews_in_progress → pr_ready → complete   by a pull request
 *
 * `paused` returns to the state before. `stuck` restarts its phase (`restartState`). So their events name
 * the state they lead to. The row stores it (`returnsTo`); the table says which returns exist. A restart
 * never skips a phase.
 * No other code knows a transition; the store refuses one that is not here.
 */

import type { Table } from "../../base/machine.ts"
import { isLanding } from "../landing/rules/landing-states.ts"
import { type LandingOutcome, type LandingState, waitsForPerson } from "../landing/rules.ts"

export const ACTIVE_STATES = [
  "registered", // known, waits for a free slot
  "planning", // the agent writes a plan
  "planning_complete", // the plan waits for a person, or is carried out at once
  "working", // the agent works, or its next turn is due
  "shipping", // the branch is being pushed and a pull request opened
  "reviews_in_progress", // the pull request waits for reviews and checks
  "pr_ready", // the pull request can be merged
  "in_approval", // a person must approve the snapshot of its landing
  "merging", // a landing carries the branch to its target
] as const
export type ActiveState = (typeof ACTIVE_STATES)[number]

export type TaskState =
  | ActiveState
  | "merge_failed" // the landing gave up; worktree kept; a person must act
  | "stuck" // stopped, no process; the reason says why
  | "paused" // a person stopped it
  | "complete" // done: landed, merged, or nothing to land
  | "cancelled" // a person gave it up

/** Where a restart may lead: the phase in which the task got stuck. */
export type RestartState = "planning" | "working" | "shipping"

export type TaskEvent =
  | "planStarted"
  | "planned"
  | "planApproved"
  | "planRejected"
  | "started"
  | "shippingStarted"
  | "pullRequestOpened"
  | "reviewsPassed"
  | "reviewsReopened"
  | "changesRequested"
  | "pullRequestMerged"
  | "approvalRequested"
  | "approved"
  | "reviewed"
  | "rejected"
  | "told"
  | "landingRequested"
  | "landed"
  | "handedBack"
  | "landingFailed"
  | "finished"
  | "gotStuck"
  | "paused"
  | "cancelled"
  | "resumed"
  | `resumed:${ActiveState | "stuck"}`
  | `restarted:${RestartState}`

const stoppable = { gotStuck: "stuck", paused: "paused", cancelled: "cancelled" } as const

// biome-ignore format: a table reads best as one
export const TASK: Table<TaskState, TaskEvent> = {
  registered:          { planStarted: "planning", started: "working", landingRequested: "merging", ...stoppable },
  planning:            { planned: "planning_complete", ...stoppable },
  planning_complete:   { planApproved: "working", planRejected: "planning", ...stoppable },
  working:             { landingRequested: "merging", shippingStarted: "shipping", finished: "complete", ...stoppable },
  shipping:            { pullRequestOpened: "reviews_in_progress", handedBack: "working", landed: "complete", finished: "complete", ...stoppable },
  reviews_in_progress: { reviewsPassed: "pr_ready", changesRequested: "working", pullRequestMerged: "complete", ...stoppable },
  pr_ready:            { reviewsReopened: "reviews_in_progress", changesRequested: "working", pullRequestMerged: "complete", ...stoppable },
  in_approval:         { approved: "merging", reviewed: "merging", rejected: "working", told: "working", ...stoppable },
  merging:             { landed: "complete", approvalRequested: "in_approval", rejected: "working", handedBack: "working", landingFailed: "merge_failed", ...stoppable },
  merge_failed:        { landingRequested: "merging", "restarted:working": "working", cancelled: "cancelled" },
  stuck:               { "restarted:planning": "planning", "restarted:working": "working", "restarted:shipping": "shipping",
                         reviewsReopened: "reviews_in_progress", paused: "paused", cancelled: "cancelled" },
  paused:              { "resumed:registered": "registered", "resumed:planning": "planning",
                         "resumed:planning_complete": "planning_complete", "resumed:working": "working",
                         "resumed:shipping": "shipping", "resumed:reviews_in_progress": "reviews_in_progress",
                         "resumed:pr_ready": "pr_ready", "resumed:in_approval": "in_approval", "resumed:merging": "merging",
                         "resumed:stuck": "stuck", cancelled: "cancelled" },
  complete:            { resumed: "working", landingRequested: "merging" },
  cancelled:           {},
}

/** Why a task stopped. Stable codes; the text next to them is for people. */
export type ReasonCode =
  | "needs_decision" // the agent wants a person to decide
  | "failed" // the agent, or its start, failed
  | "died" // the agent's process died
  | "timed_out"
  | "budget" // a limit on turns was reached
  | "api_refused" // the model API refuses the key
  | "api_unavailable" // the model API was overloaded or out of reach for too long
  | "no_changes" // complete, with nothing to land
  | "left_in_place" // complete; the changes are in the folder that the agent worked in
  | "busy" // the branch of its work item is in use
  | "push_failed" // the branch could not be pushed, or its pull request not opened
  | "pull_request" // the pull request was closed, or needs a person
  | "not_pushed" // complete; the work is on its branch, since it could not be pushed
  | "landing" // merge_failed: the landing's outcome is in the text
export type Reason = { readonly code: ReasonCode; readonly text: string }

/** The phase to which a restart of a stuck task leads. */
export function restartState(returnsTo: TaskState | null): RestartState {
  if (returnsTo === "planning" || returnsTo === "planning_complete") return "planning"
  return returnsTo === "shipping" ? "shipping" : "working"
}

const FOR_A_PERSON: readonly TaskState[] = [
  "planning_complete",
  "in_approval",
  "stuck",
  "merge_failed",
]

type Attended = {
  readonly state: TaskState
  readonly asks: boolean
  readonly landing: {
    readonly state: LandingState
    readonly outcome: LandingOutcome | null
  } | null
}

/** Whether a person should look at the task. Derived, never stored. */
export function needsAttention({ state, asks, landing }: Attended): boolean {
  if (FOR_A_PERSON.includes(state)) return true
  if (isLanding(state) && landing !== null && waitsForPerson(landing)) return true
  return asks && state !== "cancelled"
}

/** Whether nothing more happens to the task unless a person acts. */
export function isSettled(state: TaskState): boolean {
  const isActive = (ACTIVE_STATES as readonly TaskState[]).includes(state)
  return !isActive || state === "pr_ready" || FOR_A_PERSON.includes(state)
}

/** Whether an agent has turns in this state. */
export function hasTurns(state: TaskState): state is "planning" | "working" {
  return state === "planning" || state === "working"
}
