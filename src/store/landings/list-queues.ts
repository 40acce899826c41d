/** Lists the landings of every target, in their order. */
import type { LandingId, RefName, TaskId } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"
import { isInLine, queuePlace } from "./queue-order.ts"

export type QueuedLanding = {
  readonly id: LandingId
  readonly task: TaskId
  /** The repository's main worktree, or bare directory. */
  readonly path: string
  readonly target: RefName
}

/** Landings in flight come first, those that wait for something else last. */
const LIST = `
  select landings.id, landings.task, repo.path, repo.target
  from landing_repos repo join landings on landings.id = repo.landing
  where repo.published = 0 and landings.state not in ('landed', 'cancelled', 'failed')
  order by repo.path, repo.target,
    case when repo.in_flight = 1 then 0 when ${isInLine("landings")} then 1 else 2 end,
    ${queuePlace("landings")}`

/** A landing of several repositories is in the queue of each that has not moved yet. */
export function listQueues(db: Db): QueuedLanding[] {
  return sql(db, LIST).list() as QueuedLanding[]
}
