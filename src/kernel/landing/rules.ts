/**
 * A landing carries a task's branch onto its target, through the target's landing queue.
 *
 *   snapshotting (→ in_review) → queued → preparing → syncing → gating → publishing → cleaning → landed
 *
 * Each arrow is one durable row update. A daemon that dies between two arrows starts again from
 * the state it last wrote and asks git what really happened. Only `publishing` moves a target, so
 * from there on a landing cannot be cancelled. `waiting` holds neither a lock nor the head of the
 * queue, and wakes into a fresh snapshot.
 *
 *   snapshotting (→ shipping → restacking) → shipping → proposed → cleaning → landed   by a pull request
 *
 * There the forge moves the target: a landing without a queue pushes the branch, and follows its pull request.
 * Work that starts from another task's is first rebased (`restacking`) when that has moved or landed.
 */
import type { Table } from "../../base/machine.ts"

export type LandingState =
  | "snapshotting" // leftovers are being committed; the head is being taken
  | "queued" // waits until it is the first for its target
  | "preparing" // the candidate is being made on top of the target
  | "syncing" // the worktree is being brought to the candidate, for the gate
  | "gating" // the gate runs on the candidate
  | "publishing" // the target may, or may not, have moved: ask git
  | "shipping" // the branch is being pushed, and its pull request opened
  | "restacking" // branch and worktree are being brought to the rebased work, for the push
  | "proposed" // the pull request is open; the forge is asked from time to time
  | "cleaning" // landed; worktree and branch are being removed
  | "in_review" // a person, or a reviewer, must approve the snapshot; an alternative has passed its gate
  | "waiting" // something outside is in the way; the wait has a reason
  | "paused" // the task is paused; out of the queue until it is resumed
  | "handed_back" // the agent has to resolve it; its next turn ends in a resubmission
  | "failed" // a person must act
  | "landed" // the target contains the candidate
  | "cancelled" // withdrawn before it was published

export type LandingEvent =
  | "snapshotted"
  | "reviewRequested" // the work needs an approval of a person that it does not have
  | "reviewersAsked" // the snapshot needs approvals of reviewers that it does not have
  | "approved"
  | "rejected"
  | "claimed"
  | "prepared"
  | "unchanged"
  | "synced"
  | "passed"
  | "published"
  | "shippingStarted"
  | "pullRequestOpened"
  | "rebased" // the work is rebased, only in the object database so far
  | "restacked"
  | "pullRequestReopened" // or merged, after it failed in `proposed`
  | "pullRequestMerged"
  | "unshipped" // the work cannot be pushed, and stays on its branch as configured
  | "cleaned"
  | "moved" // something it relied on moved: again from a fresh snapshot
  | "blocked"
  | "woken"
  | "handedBack"
  | "failed"
  | "paused"
  | "resubmitted"
  | "cancelled"

const stopped = { failed: "failed", paused: "paused", cancelled: "cancelled" } as const

// biome-ignore format: a table reads best as one
export const LANDING: Table<LandingState, LandingEvent> = {
  snapshotting: { snapshotted: "queued", shippingStarted: "shipping", reviewRequested: "in_review", reviewersAsked: "in_review",
                  handedBack: "handed_back", blocked: "waiting", ...stopped },
  in_review:    { approved: "snapshotting", woken: "snapshotting", rejected: "handed_back", cancelled: "cancelled" },
  queued:       { claimed: "preparing", paused: "paused", cancelled: "cancelled" },
  preparing:    { prepared: "syncing", unchanged: "cleaning", handedBack: "handed_back", moved: "snapshotting",
                  reviewRequested: "in_review", blocked: "waiting", ...stopped },
  syncing:      { synced: "gating", passed: "publishing", reviewRequested: "in_review", moved: "snapshotting", blocked: "waiting", ...stopped },
  gating:       { passed: "publishing", reviewRequested: "in_review", handedBack: "handed_back", moved: "snapshotting", blocked: "waiting", ...stopped },
  publishing:   { published: "cleaning", moved: "snapshotting", blocked: "waiting", failed: "failed" }, // too late to cancel
  shipping:     { pullRequestOpened: "proposed", rebased: "restacking", unchanged: "cleaning", unshipped: "cancelled",
                  handedBack: "handed_back", blocked: "waiting", ...stopped },
  restacking:   { restacked: "snapshotting", moved: "snapshotting", blocked: "waiting", ...stopped },
  proposed:     { pullRequestMerged: "cleaning", handedBack: "handed_back", moved: "snapshotting",
                  blocked: "waiting", ...stopped },
  cleaning:     { cleaned: "landed" },
  waiting:      { woken: "snapshotting", ...stopped },
  paused:       { resubmitted: "snapshotting", cancelled: "cancelled" },
  handed_back:  { resubmitted: "snapshotting", cancelled: "cancelled" },
  failed:       { resubmitted: "snapshotting", pullRequestReopened: "proposed", cancelled: "cancelled" },
  landed:       {},
  cancelled:    {},
}

/** The result of a landing, or the reason why it waits. */
export type LandingOutcome =
  | "LANDED"
  | "NO_CHANGES"
  | "SQUASH_CONFLICT"
  | "PRE_MERGE_FAILED"
  | "CHANGES_REQUESTED" // by a reviewer, or by failed checks of its pull request
  | "PUSH_FAILED" // the branch was not pushed, or its pull request not opened
  | "PUSH_REFUSED" // the remote refuses to move its target
  | "UNPUSHED" // the target has commits that its remote lacks
  | "UPSTREAM_APART" // the work has commits of the target's upstream, and the target has others
  | "REMOTE_UNAVAILABLE" // git does not reach the remote of a target that is pushed
  | "UNSIGNED" // the person's key does not sign
  | "FORGE_UNAVAILABLE" // the forge does not answer, or allows no more requests for now
  | "PULL_REQUEST_CLOSED" // without being merged
  | "MERGED_WITHOUT_WORK" // the branch of a merged pull request lacks the work
  | "LOWER_CLOSED" // the task whose work it starts from was given up
  | "FOREIGN_FILES" // the commits hold what Coppice placed or set-up made
  | "STALE_FILES" // the work drops changes that its branch contains
  | "FOREIGN_STASH" // the work holds changes of a stash that its agent did not make
  | "TOO_MUCH_LEFT" // too much is uncommitted to land without an approval
  | "TARGET_RED"
  | "GATE_UNAVAILABLE"
  | "TARGET_GONE" // the target was renamed or deleted
  | "WORKTREE_ERROR"
  | "UPDATE_REF_FAILED"
  | "FF_NOT_POSSIBLE"
  | "LOCKED"
  | "DIRTY_MAIN"

/** The states with an action of their name. All are run at once, but `proposed`, which has its times. */
export const RUNNABLE_STATES = [
  "snapshotting",
  "queued",
  "preparing",
  "syncing",
  "gating",
  "publishing",
  "shipping",
  "restacking",
  "proposed",
  "cleaning",
] as const

/** The states in which a landing has its target's queue to itself. */
export const IN_FLIGHT_STATES = ["preparing", "syncing", "gating", "publishing"] as const

/** Reasons that only a person can remove; all others pass without help. */
const FOR_A_PERSON: readonly (LandingOutcome | null)[] = [
  "TARGET_RED",
  "GATE_UNAVAILABLE",
  "TARGET_GONE",
  "PUSH_REFUSED",
  "LOWER_CLOSED",
  "UNSIGNED",
  "UNPUSHED",
  "UPSTREAM_APART",
  "TOO_MUCH_LEFT",
]

/** Whether the landing waits for a person to act. */
export function waitsForPerson({
  state,
  outcome,
}: {
  readonly state: LandingState
  readonly outcome: LandingOutcome | null
}): boolean {
  return state === "waiting" && FOR_A_PERSON.includes(outcome)
}

/** Whether the landing loop has an action for this state. */
export function isRunnable(state: LandingState): state is (typeof RUNNABLE_STATES)[number] {
  return (RUNNABLE_STATES as readonly LandingState[]).includes(state)
}

/** Whether the landing's result is known: the work is on its target (or was there already). */
export function isPublishedState(state: LandingState): boolean {
  return state === "cleaning" || state === "landed"
}
