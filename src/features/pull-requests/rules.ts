/** A pull request as its forge shows it, and what that means for its task. Pure. */
import type { Oid } from "../../base/ids.ts"

export type PullState = "open" | "merged" | "closed"

/** A pull request, without its reviews and checks. */
export type Pull = {
  readonly number: number
  readonly url: string
  readonly state: PullState
  /** The commit of its branch, as the forge has it. */
  readonly head: Oid
  /** The branch of the pull request; null: it is in a fork. */
  readonly branch: string | null
  /** The branch that it leads into. Any person of the project can change it. */
  readonly target: string
  /** The commit by which it was merged, if the forge names one. */
  readonly merge: Oid | null
  /** A person or a team is asked for a review, or a rule of the forge holds it back. */
  readonly isHeld: boolean
}

export type PullReview = {
  /** Rises with the time when its author began it. */
  readonly id: number
  readonly author: string
  /** Whether the forge counts the author among the people of the project. */
  readonly isTrusted: boolean
  readonly verdict: "approved" | "changes_requested" | "none"
  /** The commit that was reviewed, if the forge knows it. */
  readonly commit: Oid | null
  readonly text: string
}

export type PullReviewComment = {
  readonly path: string
  readonly line: number | null
  readonly text: string
}

export type Check = {
  readonly name: string
  readonly state: "pending" | "passed" | "failed"
  readonly text: string
  readonly url: string | null
}

/** How a pull request stands in the merge queue that its target has on the forge. */
export type Queue = {
  readonly isQueued: boolean
  /** The commit that the queue tests for it, while the forge names one. */
  readonly commit: Oid | null
  /** The latest time that it left the queue without a merge. */
  readonly removal: QueueRemoval | null
}

export type QueueRemoval = {
  readonly id: string
  /** In the forge's words. */
  readonly reason: string
  readonly isByPerson: boolean
}

export type PullReviewState = "waiting" | "approved" | "changes_requested"
export type CheckState = "none" | "pending" | "passed" | "failed"

/** How its reviews stand: the latest verdict of each trusted reviewer counts. */
export function pullReviewState(reviews: readonly PullReview[], head: Oid): PullReviewState {
  const verdicts = latestVerdicts(reviews)
  if (verdicts.some(({ verdict }) => verdict === "changes_requested")) return "changes_requested"
  // An approval binds to the commit that was reviewed.
  const isApproved = verdicts.some(
    ({ verdict, commit }) => verdict === "approved" && commit === head,
  )
  return isApproved ? "approved" : "waiting"
}

/** The latest requests for changes, oldest first. @param handled the ids of those that were handed back. */
export function listRequests(
  reviews: readonly PullReview[],
  handled: readonly number[],
): readonly PullReview[] {
  const requests = latestVerdicts(reviews).filter(({ verdict }) => verdict === "changes_requested")
  return requests.filter(({ id }) => !handled.includes(id)).sort((a, b) => a.id - b.id)
}

function latestVerdicts(reviews: readonly PullReview[]): readonly PullReview[] {
  const latest = new Map<string, PullReview>()
  const ofPeople = reviews.filter(({ isTrusted, verdict }) => isTrusted && verdict !== "none")
  for (const review of ofPeople.toSorted((a, b) => a.id - b.id)) latest.set(review.author, review)
  return [...latest.values()]
}

/** `failed` only when no check is pending, so that the agent gets all failures at once. */
export function checkState(checks: readonly Check[]): CheckState {
  if (checks.length === 0) return "none"
  if (checks.some(({ state }) => state === "pending")) return "pending"
  return checks.some(({ state }) => state === "failed") ? "failed" : "passed"
}

/** Approved for exactly this commit, and no check is pending or red. */
export const isReady = (review: PullReviewState, checks: CheckState): boolean =>
  review === "approved" && (checks === "passed" || checks === "none")

/** A check appears some seconds after its commit, and that of a busy service later. */
const CHECKS_APPEAR_MS = 2 * 60_000

type WithoutApproval = {
  readonly pull: Pick<Pull, "isHeld">
  readonly reviews: readonly PullReview[]
  readonly checks: CheckState
  /** How long it has been open with this work. */
  readonly openMs: number
}

/**
 * Whether it can be merged without an approval: its checks pass, no review is asked for, and no person of the
 * project has reviewed it, not even with a verdict that was withdrawn. A commit that has been there for a
 * while without a check has none.
 */
export function needsNoApproval({ pull, reviews, checks, openMs }: WithoutApproval): boolean {
  if (pull.isHeld || reviews.some(({ isTrusted }) => isTrusted)) return false
  return checks === "passed" || (checks === "none" && openMs >= CHECKS_APPEAR_MS)
}

/** How it stands, for people: `no approval yet, checks passed`. */
export function pullText(pull: {
  readonly state: PullState
  readonly review: PullReviewState
  readonly checks: CheckState
}): string {
  if (pull.state !== "open") return pull.state
  const words = {
    waiting: "no approval yet",
    approved: "approved",
    changes_requested: "changes requested",
  }
  const checks = {
    none: "no checks",
    pending: "checks are running",
    passed: "checks passed",
    failed: "checks failed",
  }
  return `${words[pull.review]}, ${checks[pull.checks]}`
}
