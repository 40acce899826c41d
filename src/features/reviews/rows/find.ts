/** Finds second opinions. */

import type { TaskId } from "../../../base/ids.ts"
import type { Db } from "../../../kernel/store/open.ts"
import { sql } from "../../../kernel/store/sql.ts"
import type { ReviewedCommit } from "../rules.ts"
import { decodeReview, REVIEW_COLUMNS, type Review } from "./row.ts"

const LIST = `select ${REVIEW_COLUMNS} from reviews where task = :task order by id`
const LIST_ALL = `select ${REVIEW_COLUMNS} from reviews where task is not null order by id`
const FIND = `select ${REVIEW_COLUMNS} from reviews where id = :id`
const FIND_BY_TASK = `select ${REVIEW_COLUMNS} from reviews where by_task = :byTask`

/** Lists the reviews of a task, oldest first. @param commits only reviews of exactly these. */
export function listReviews(
  db: Db,
  task: TaskId,
  commits?: readonly ReviewedCommit[],
): readonly Review[] {
  const all = sql(db, LIST).list({ task })
  const wanted = commits && JSON.stringify(commits)
  return all.filter((row) => wanted === undefined || row["commits"] === wanted).map(decodeReview)
}

export const listAllReviews = (db: Db): ReadonlyMap<TaskId, readonly Review[]> =>
  Map.groupBy(sql(db, LIST_ALL).list().map(decodeReview), ({ task }) => task as TaskId)

export function findReview(db: Db, id: number): Review | undefined {
  const row = sql(db, FIND).find({ id })
  return row && decodeReview(row)
}

/** The review that a task carries out. */
export function findReviewBy(db: Db, byTask: TaskId): Review | undefined {
  const row = sql(db, FIND_BY_TASK).find({ byTask })
  return row && decodeReview(row)
}

const OPEN = `
  select ${REVIEW_COLUMNS} from reviews
  where task is null or state in ('asked', 'reading', 'failed') order by id`

/** Reviews that may need a step: a start, a verdict, an end. */
export function listOpenReviews(db: Db): readonly Review[] {
  return sql(db, OPEN).list().map(decodeReview)
}
