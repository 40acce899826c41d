/**
 * Runs the reviews that landings ask for: starts a task for each reviewer, records its verdict when the
 * task ends, and cancels reviews that no landing needs any more.
 *
 *   asked ─► a task of the reviewer, in a worktree at the commits ─► its end ─► verdict ─► a fresh snapshot
 *
 * The rows say what is left to do, and each step is one transaction. A verdict either approves exactly the
 * commits that were read, or has comments. Only the token of the reviewer's own task can give one.
 */

import { assert } from "../../base/assert.ts"
import { isTransient, toErrorDocument } from "../../base/errors.ts"
import type { TaskId } from "../../base/ids.ts"
import { addApproval } from "../../kernel/landing/rows/approvals.ts"
import { findLandingOfTask } from "../../kernel/landing/rows/find.ts"
import { recordLanding } from "../../kernel/landing/rows/record.ts"
import type { Landing } from "../../kernel/landing/rows/row.ts"
import type { LandingState } from "../../kernel/landing/rules.ts"
import { appendEvent } from "../../kernel/store/events.ts"
import { StoreLoop } from "../../kernel/store/loop.ts"
import type { Db } from "../../kernel/store/open.ts"
import { transaction } from "../../kernel/store/sql.ts"
import { cancel } from "../../kernel/tasks/actions/cancel.ts"
import { type Creator, createTask } from "../../kernel/tasks/actions/create-task.ts"
import { findTask } from "../../kernel/tasks/rows/find.ts"
import { recordTask } from "../../kernel/tasks/rows/record.ts"
import type { Task } from "../../kernel/tasks/rows/row.ts"
import { listTurns } from "../../kernel/tasks/rows/turns/find.ts"
import { isHalted } from "../../kernel/tasks/rules/duty.ts"
import type { TaskState } from "../../kernel/tasks/rules.ts"
import { reviewPrompt } from "./prompts.ts"
import { findOpenReason } from "./reviewer-view.ts"
import { findReview, listOpenReviews, listReviews } from "./rows/find.ts"
import { forgetReview, recordReview } from "./rows/record.ts"
import type { Review } from "./rows/row.ts"
import { type ReviewState, verdictIn } from "./rules.ts"

/** @param onError gets the id of the review. */
export function followReviews(
  fleet: Creator,
  onError: (review: number | undefined, error: unknown) => void,
): StoreLoop<number> {
  const { db } = fleet
  return new StoreLoop<number>(db, {
    onError,
    list: (busy) =>
      listOpenReviews(db)
        .filter((review) => !busy.has(review.id) && dueOf(db, review) !== "nothing")
        .map(({ id }) => id),
    drive: async (id) => {
      const review = findReview(db, id)
      if (!review) return
      const due = dueOf(db, review)
      if (due === "start") await start(fleet, review, (error) => onError(id, error))
      if (due === "resume") recordReview(db, review, { state: "reading" })
      if (due === "record") record(fleet, review)
      if (due === "withdraw") await withdraw(fleet, review)
    },
    isWithdrawn: () => false,
    wakeInMs: () => undefined,
    neverGivesUp: () => true,
  })
}

type Due = "start" | "resume" | "record" | "withdraw" | "nothing"

const ENDED: readonly TaskState[] = ["complete", "stuck", "cancelled", "merge_failed"]

function dueOf(db: Db, review: Review): Due {
  const need = needOf(db, review)
  if (need === "none") return "withdraw"
  if (need === "unknown") return "nothing"
  if (review.state === "asked") return "start"
  const reviewTask = findTask(db, review.byTask)
  const isOver = !reviewTask || ENDED.includes(reviewTask.state)
  if (review.state === "failed") return isOver ? "nothing" : "resume" // a person restarted it
  return review.state === "reading" && isOver ? "record" : "nothing"
}

/** In these states a landing has not yet decided which reviews it needs. */
const UNDECIDED: readonly LandingState[] = ["snapshotting", "waiting", "paused"]

/** Whether a landing waits for this review. It can ask again for a withdrawn one. A paused task waits for no verdict. */
function needOf(db: Db, { task, commits }: Review): "needed" | "none" | "unknown" {
  const author = findTask(db, task)
  const landing = author && findLandingOfTask(db, author.id)
  if (!landing) return "none"
  if (isHalted(author) || UNDECIDED.includes(landing.state)) return "unknown"
  if (landing.state !== "in_review") return "none"
  const isThere = commits.every(({ name, head, base }) =>
    landing.repos.some((repo) => repo.name === name && repo.head === head && repo.base === base),
  )
  return isThere ? "needed" : "none"
}

async function start(
  fleet: Creator,
  review: Review,
  onBug: (error: unknown) => void,
): Promise<void> {
  const { db, world } = fleet
  const author = findTask(db, review.task)
  if (!author) return
  const { id, reviewer, commits } = review
  const request = {
    title: `Review of task ${author.id}: ${author.title}`,
    prompt: reviewPrompt({ ...author, task: author.id, commits, earlier: earlierOf(db, review) }),
    agent: reviewer,
    land: "none",
    plan: "none",
    priority: author.priority,
    repos: author.repos.map(({ name }) => name),
  } as const
  // Until a person approves a change of the configuration, the approved version applies.
  const approved = { ...fleet, checkedConfig: fleet.config }
  const agent = fleet.config().agents.find(({ name }) => name === reviewer)
  const open = (await findOpenReason(agent)) ?? null
  const records = ({ id: byTask }: Task) => {
    const isAsked = recordReview(db, review, { state: "reading", byTask })
    assert(isAsked, "only this loop starts a review")
    const data = { review: id, reviewer, by: byTask, open }
    appendEvent(db, { type: "review.started", task: author.id, data }, world.nowMs())
  }
  try {
    await createTask(approved, request, { reviewOf: author.id, records })
  } catch (error) {
    if (isTransient(error)) throw error
    if (toErrorDocument(error).error.code === "bug") onBug(error)
    end(fleet, review, { state: "failed", comments: toErrorDocument(error).error.message })
  }
}

/** The reviewer's own comments on other commits of the task. */
function earlierOf(db: Db, { id, task, reviewer }: Review): readonly string[] {
  const all = task === null ? [] : listReviews(db, task)
  return all.flatMap((one) =>
    one.id < id && one.reviewer === reviewer && one.state === "changes" ? (one.comments ?? []) : [],
  )
}

function record(fleet: Creator, review: Review): void {
  const reviewTask = findTask(fleet.db, review.byTask)
  const turn = reviewTask && listTurns(fleet.db, reviewTask.id).at(-1)
  end(fleet, review, endOf(review, reviewTask, turn?.message ?? null))
}

type End = { readonly state: ReviewState; readonly comments: string }

/** @param message of the task's last turn: an earlier one came before the task went on. */
function endOf(review: Review, reviewTask: Task | undefined, message: string | null): End {
  const failed = (comments: string): End => ({ state: "failed", comments })
  if (!reviewTask) return failed("its task was deleted")
  if (reviewTask.state === "cancelled") return failed("its task was cancelled")
  if (reviewTask.state !== "complete")
    return failed(`its task is ${reviewTask.state}: ${reviewTask.reason?.text ?? ""}`)
  const { verdict, comments } = review
  const said = verdict ? { verdict, comments: comments ?? "" } : verdictIn(message)
  if (!said) return failed(`it gave none; its last message: ${reviewTask.lastMessage ?? ""}`)
  return { state: said.verdict === "approve" ? "approved" : "changes", comments: said.comments }
}

/** Records the verdict and its approvals, and wakes the landing, in one transaction. */
function end({ db, world }: Creator, review: Review, { state, comments }: End): void {
  transaction(db, () => {
    const { task, reviewer, commits, byTask } = review
    if (task === null || needOf(db, review) !== "needed") return
    if (!recordReview(db, review, { state, comments })) return
    const nowMs = world.nowMs()
    if (state === "approved")
      for (const commit of commits) addApproval(db, { task, ...commit, approver: reviewer }, nowMs)
    const data = { review: review.id, reviewer, by: byTask, verdict: state, comments }
    appendEvent(db, { type: "review.ended", task, data }, nowMs)
    const landing = findLandingOfTask(db, task)
    if (landing) wakeLanding({ db, nowMs }, task, landing)
  })
}

/** The landing takes a fresh snapshot, which finds the verdict, or that the commits have changed. */
function wakeLanding(
  { db, nowMs }: { readonly db: Db; readonly nowMs: number },
  id: TaskId,
  landing: Landing,
): void {
  const task = findTask(db, id)
  if (task?.state === "in_approval") recordTask(db, task, { event: "reviewed" }, nowMs)
  recordLanding(db, landing, { event: "woken", reason: null }, nowMs)
}

async function withdraw({ db, world }: Creator, review: Review): Promise<void> {
  const reviewTask = findTask(db, review.byTask)
  const isUnderWay =
    reviewTask && reviewTask.state !== "complete" && reviewTask.state !== "cancelled"
  if (isUnderWay && reviewTask.deletion === null) await cancel({ db, world }, reviewTask)
  if (review.task === null) return forgetReview(db, review)
  transaction(db, () => {
    // If a landing needs it since just now, it fails, as its task is cancelled. Then a person decides.
    if (needOf(db, review) !== "needed") recordReview(db, review, { state: "withdrawn" })
  })
}
