/** Approvals of people and of reviewers, each of one commit on one base. */
import type { LandingId, Oid, TaskId } from "../../../base/ids.ts"
import type { Db } from "../../store/open.ts"
import { sql } from "../../store/sql.ts"

/** An approval as stored: it holds for these commits, never for a branch. */
export type Approval = {
  readonly task: TaskId
  /** Name of the repository. */
  readonly name: string
  readonly head: Oid
  /** The commit before the task's own commits: the approver saw base..head. */
  readonly base: Oid
  /** The reviewer's name. Default: a person. */
  readonly approver?: string
}

/** In place of a reviewer's name. */
export const A_PERSON = ""

const ADD = `
  insert into approvals (task, name, head, base, approver, at)
  values (:task, :name, :head, :base, :approver, :nowMs)
  on conflict do nothing`

export function addApproval(db: Db, approval: Approval, nowMs: number): void {
  sql(db, ADD).run({ approver: A_PERSON, ...approval, nowMs })
}

const WITHDRAW = "delete from approvals where task = :task and approver = ''"

/** Removes the approvals of a task by people. Those by reviewers stay. */
export function withdrawApprovals(db: Db, task: TaskId): void {
  sql(db, WITHDRAW).run({ task })
}

const LIST = `
  select approver, base from approvals
  where task = :task and name = :name and head = :head order by at, base`

/** Every approval of `head`. */
export function listApprovals(
  db: Db,
  { task, name, head }: Pick<Approval, "task" | "name" | "head">,
): Required<Pick<Approval, "approver" | "base">>[] {
  return sql(db, LIST).list({ task, name, head }) as Required<Pick<Approval, "approver" | "base">>[]
}

export type PendingApproval = {
  /** Name of the repository. */
  readonly name: string
  readonly head: Oid
  readonly base: Oid
}

/** In review, a repository has a base exactly if its head needs an approval. */
const LIST_PENDING = `
  select repo.name, repo.head, repo.base
  from landings join landing_repos repo on repo.landing = landings.id
  where landings.id = :id and landings.state = 'in_review' and repo.base is not null
    and not exists (select 1 from approvals
      where task = landings.task and name = repo.name and head = repo.head and base = repo.base
        and approver = '')
  order by repo.rowid`

/**
 * Lists the commits of a landing in review that a person may approve.
 *
 * In the order of the task's repositories; empty for a landing that is not in review.
 */
export function listPendingApprovals(db: Db, id: LandingId): PendingApproval[] {
  return sql(db, LIST_PENDING).list({ id }) as PendingApproval[]
}
