/** Why a landing whose changes are wanted goes back to its agent. Pure. */
import type { HandBackDetails } from "./hand-back.ts"

export type HandBackCause =
  | "REVIEWER_AGENT" // an agent that gives a second opinion
  | "REVIEW" // a review of its pull request
  | "CHECKS" // failed checks of its pull request
  | "MERGE_QUEUE" // the forge's merge queue threw it out

/** @returns none for a cause that the landing's outcome names. */
export function handBackCauses({ pull, review }: HandBackDetails): HandBackCause[] {
  if (review) return ["REVIEWER_AGENT"]
  if (!pull) return []
  // The checks of the queue are a part of its removal.
  if (pull.thrownOut !== null) return ["MERGE_QUEUE"]
  const reviewed: HandBackCause[] = pull.requests.length > 0 ? ["REVIEW"] : []
  return pull.failures.length > 0 ? [...reviewed, "CHECKS"] : reviewed
}
