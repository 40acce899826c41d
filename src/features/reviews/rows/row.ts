/** A second opinion as stored: what a reviewer was asked to read, and what it says. */

import type { TaskId } from "../../../base/ids.ts"
import type { SqlRow } from "../../../kernel/store/sql.ts"
import type { ReviewedCommit, ReviewState, ReviewVerdict } from "../rules.ts"

export type Review = {
  readonly id: number
  /** Whose commits they are; null: it was deleted. */
  readonly task: TaskId | null
  readonly reviewer: string
  readonly commits: readonly ReviewedCommit[]
  readonly state: ReviewState
  /** The task that reads them; null: there is none yet, or it was deleted. */
  readonly byTask: TaskId | null
  /** The reviewer's verdict, which counts once the turn has ended. */
  readonly verdict: ReviewVerdict | null
  readonly comments: string | null
  /** The author has the comments. */
  readonly handedBack: boolean
}

export const REVIEW_COLUMNS = `
  id, task, reviewer, commits, state, by_task as byTask, verdict, comments, handed_back as handedBack`

export const decodeReview = ({ commits, handedBack, ...row }: SqlRow): Review =>
  ({ ...row, commits: JSON.parse(commits as string), handedBack: handedBack === 1 }) as Review
