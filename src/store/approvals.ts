/** A person's approvals, each of one commit on one base. */
import type { LandingId, Oid, TaskId } from "../core/ids.ts"
import type { Db } from "./open.ts"
import { sql } from "./sql.ts"

/** An approval as stored: it holds for these commits, never for a branch. */
export type Approval = {
  readonly task: TaskId
  /** Name of the repository. */
  readonly name: string
  readonly head: Oid
  /** The commit before the task's own commits: the person saw base..head. */
  readonly base: Oid
}

const ADD = `
  insert into approvals (task, name, head, base, at) values (:task, :name, :head, :base, :nowMs)
  on conflict do nothing`

export function addApproval(db: Db, { task, name, head, base }: Approval, nowMs: number): void {
  sql(db, ADD).run({ task, name, head, base, nowMs })
}

const LIST = `
  select base from approvals
  where task = :task and name = :name and head = :head order by at, base`

/** The base of every approval of `head`; empty without an approval. */
export function listApprovedBases(
  db: Db,
  { task, name, head }: Pick<Approval, "task" | "name" | "head">,
): Oid[] {
  return sql(db, LIST)
    .list({ task, name, head })
    .map(({ base }) => base as Oid)
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
      where task = landings.task and name = repo.name and head = repo.head and base = repo.base)
  order by repo.rowid`

/**
 * Lists the commits of a landing in review that still need an approval.
 *
 * In the order of the task's repositories; empty for a landing that is not in review.
 */
export function listPendingApprovals(db: Db, id: LandingId): PendingApproval[] {
  return sql(db, LIST_PENDING).list({ id }) as PendingApproval[]
}
