/** Lists the commits of a landing in review that still need an approval. */
import type { LandingId, Oid } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"

export type PendingApproval = {
  /** Name of the repository. */
  readonly name: string
  readonly head: Oid
  readonly base: Oid
}

/** In review, a repository has a base exactly if its head needs an approval. */
const LIST = `
  select repo.name, repo.head, repo.base
  from landings join landing_repos repo on repo.landing = landings.id
  where landings.id = :id and landings.state = 'in_review' and repo.base is not null
    and not exists (select 1 from approvals
      where task = landings.task and name = repo.name and head = repo.head and base = repo.base)
  order by repo.rowid`

/** In the order of the task's repositories; empty for a landing that is not in review. */
export function listPendingApprovals(db: Db, id: LandingId): PendingApproval[] {
  return sql(db, LIST).list({ id }) as PendingApproval[]
}
