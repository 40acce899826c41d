/** Asks for second opinions, and records what becomes of each. */

import type { TaskId } from "../../../base/ids.ts"
import type { Db } from "../../../kernel/store/open.ts"
import { sql } from "../../../kernel/store/sql.ts"
import type { ReviewedCommit, ReviewState, ReviewVerdict } from "../rules.ts"
import type { Review } from "./row.ts"

const ASK = `
  insert into reviews (task, reviewer, commits, state) values (:task, :reviewer, :commits, 'asked')
  on conflict do update set state = 'asked', by_task = null, verdict = null, comments = null
  where state = 'withdrawn'`

type ToAsk = {
  readonly task: TaskId
  readonly reviewer: string
  readonly commits: readonly ReviewedCommit[]
}

/** Asks a reviewer, unless it was asked about these commits and not withdrawn. */
export function askReviewer(db: Db, { task, reviewer, commits }: ToAsk): void {
  sql(db, ASK).run({ task, reviewer, commits: JSON.stringify(commits) })
}

type Change = { readonly state: ReviewState } & Partial<Pick<Review, "byTask" | "comments">>

const RECORD = `
  update reviews set state = :state, by_task = coalesce(:byTask, by_task),
    verdict = case when :state = 'reading' then null else verdict end,
    comments = coalesce(:comments, comments)
  where id = :id and state = :from`

/** @returns false if the row is in another state than was read. */
export function recordReview(
  db: Db,
  { id, state: from }: Pick<Review, "id" | "state">,
  { state, byTask = null, comments = null }: Change,
): boolean {
  return sql(db, RECORD).run({ id, from, state, byTask, comments }) === 1
}

const SAY = `
  update reviews set verdict = :verdict, comments = :comments
  where by_task = :byTask and state = 'reading'`

/** Records a reviewer's verdict; a later one takes its place. @returns false if its review is not open. */
export function sayVerdict(
  db: Db,
  said: { readonly byTask: TaskId; readonly verdict: ReviewVerdict; readonly comments: string },
): boolean {
  return sql(db, SAY).run(said) === 1
}

const HANDED = "update reviews set handed_back = 1 where id = :id"

export function recordReviewHandedBack(db: Db, { id }: Pick<Review, "id">): void {
  sql(db, HANDED).run({ id })
}

const FORGET = "delete from reviews where id = :id and task is null"

/** Forgets the review of a task that was deleted. */
export function forgetReview(db: Db, { id }: Pick<Review, "id">): void {
  sql(db, FORGET).run({ id })
}
