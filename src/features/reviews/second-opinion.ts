/**
 * Asks reviewers for a second opinion on a snapshot, and acts on their verdicts.
 *
 * Their approvals are rows like a person's (review-loop.ts), so approved commits do not come here. Changes
 * go back to the author once, as a counted hand-back. If they do not agree after that, or a review
 * fails, a person decides.
 */

import { assert } from "../../base/assert.ts"
import type { Configured, Outcome, Rows, Step } from "../../kernel/landing/action.ts"
import type { Unapproved } from "../../kernel/landing/snapshot/missing-approvals.ts"
import { handBackOrFail } from "../../kernel/landing/verdict.ts"
import { listTurns } from "../../kernel/tasks/rows/turns/find.ts"
import type { ReviewFacts } from "./prompts.ts"
import { listReviews } from "./rows/find.ts"
import { askReviewer, recordReviewHandedBack } from "./rows/record.ts"
import type { Review } from "./rows/row.ts"
import { mayApprove } from "./rules.ts"

type Opinion =
  | { readonly kind: "outcome"; readonly outcome: Outcome }
  /** Each reason completes a sentence that begins with "it". Empty: no reviewer is asked. */
  | { readonly kind: "person"; readonly reasons: readonly string[] }

export function askReviewers(
  step: Step<Rows & Configured>,
  unapproved: readonly Unapproved[],
): Opinion {
  const { context, task } = step
  const config = context.agentConfig(task).review
  const lacking = unapproved.filter(({ lacksReviewers }) => lacksReviewers)
  if (!config || lacking.length === 0) return { kind: "person", reasons: [] }
  const commits = lacking.map(({ name, head, base }) => ({ name, head, base }))
  const reviews = listReviews(context.db, task.id, commits)
  if (!mayApprove(config, reviews)) return decide(step, reviews)
  if (reviews.length === 0 && changesByItself(step)) return { kind: "person", reasons: [CHANGES] }
  // Also reviewers that were asked before, since such a review may have just been withdrawn.
  const records = () => {
    for (const reviewer of config.of) askReviewer(context.db, { task: task.id, reviewer, commits })
  }
  const nothing = { outcome: null, reason: null, details: null }
  return { kind: "outcome", outcome: { event: "reviewersAsked", ...nothing, records } }
}

/** Commits that are new without a turn of the author: by a person's edits, or a moved base. */
const EXTRA_ROUNDS_MAX = 5
const CHANGES = "changes again and again while reviewers read it, so no more of them are asked"

/** Whether there were more rounds than turns of the author explain, e.g. because a reviewer edits its files. */
function changesByItself({ context: { db }, task }: Step<Rows>): boolean {
  const rounds = new Set(listReviews(db, task.id).map(({ commits }) => JSON.stringify(commits)))
  return rounds.size >= listTurns(db, task.id).length + EXTRA_ROUNDS_MAX
}

function decide(step: Step<Rows & Configured>, reviews: readonly Review[]): Opinion {
  const { context, landing, task } = step
  const { handbacksMax } = context.agentConfig(task).landing
  const wanted = reviews.filter(({ state }) => state === "changes")
  const isNew = wanted.length > 0 && !wanted.some(({ handedBack }) => handedBack)
  if (!isNew || landing.handbacks >= handbacksMax)
    return { kind: "person", reasons: reviews.flatMap(objectionOf) }
  const [repo] = landing.repos
  assert(repo, "a landing has a repository")
  const outcome = handBackOrFail(step, "CHANGES_REQUESTED", { repo, review: factsOf(wanted) })
  const records = () => {
    for (const review of wanted) recordReviewHandedBack(context.db, review)
  }
  return { kind: "outcome", outcome: { ...outcome, records } }
}

const factsOf = (reviews: readonly Review[]): ReviewFacts => ({
  reviews: reviews.map(({ reviewer, commits, comments }) => ({
    reviewer,
    heads: commits.map(({ head }) => head),
    comments: comments ?? "",
  })),
})

/** More comments are in the review, which `coppice show` prints. */
const GIST_CHARS_MAX = 300

function objectionOf({ reviewer, byTask, state, comments }: Review): string[] {
  if (state !== "changes" && state !== "failed") return []
  const by = byTask === null ? reviewer : `${reviewer} (task ${byTask})`
  const text = (comments ?? "").slice(0, GIST_CHARS_MAX)
  return [
    state === "changes"
      ? `is not approved by ${by}, who wants changes: ${text}`
      : `has no verdict of ${by}: ${text}`,
  ]
}
