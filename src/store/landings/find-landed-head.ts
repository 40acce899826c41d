/** Finds the last landed commit of a branch, unless it was taken back. */
import type { Oid, RefName } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"

export type LandedBranch = {
  /** Path of the repository. */
  readonly path: string
  readonly target: RefName
  /** Branch name. */
  readonly branch: string
}

/** Only for a person's own work: such a branch stays and continues. */
const FIND = `
  select landing_repos.head, landing_repos.candidate, task_repos.taken_back as takenBack
  from landings
  join landing_repos on landing_repos.landing = landings.id
  join tasks on tasks.id = landings.task
  join task_repos on task_repos.task = tasks.id and task_repos.name = landing_repos.name
  where landings.state = 'landed' and landings.outcome = 'LANDED' and tasks.agent is null
    and landing_repos.path = :path and landing_repos.target = :target
    and task_repos.branch = :branch
  order by landings.id desc
  limit 1`

export function findLandedHead(
  db: Db,
  { path, target, branch }: LandedBranch,
): { readonly head: Oid; readonly candidate: Oid } | undefined {
  const row = sql(db, FIND).find({ path, target, branch })
  if (!row || row["takenBack"] !== null) return undefined
  return { head: row["head"] as Oid, candidate: row["candidate"] as Oid }
}
