/** Finds what has landed, by branch, by commit and by task. */
import type { Oid, RefName, TaskId } from "../../../base/ids.ts"
import type { Db } from "../../store/open.ts"
import { sql } from "../../store/sql.ts"

export type LandedBranch = {
  readonly path: string
  readonly target: RefName
  readonly branch: string
}

/** Only for tasks without an agent, whose branch stays after it landed, and continues. */
const FIND_LANDED_HEAD = `
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

/** Finds the last landed commit of a branch, unless it was taken back. */
export function findLandedHead(
  db: Db,
  { path, target, branch }: LandedBranch,
): { readonly head: Oid; readonly candidate: Oid } | undefined {
  const row = sql(db, FIND_LANDED_HEAD).find({ path, target, branch })
  if (!row || row["takenBack"] !== null) return undefined
  return { head: row["head"] as Oid, candidate: row["candidate"] as Oid }
}

const FIND_TAKEN_BACK = `
  select landings.task, max(reversal.task) as undo
  from landings
  join landing_repos on landing_repos.landing = landings.id
  join task_repos on task_repos.task = landings.task and task_repos.name = landing_repos.name
  join landings as reversal on reversal.undoes = landings.id and reversal.state = 'landed'
  where landing_repos.path = :path and landing_repos.target = :target
    and landing_repos.candidate = :head and task_repos.taken_back is not null
  group by landings.id
  order by landings.id desc
  limit 1`

/** Finds who landed this very commit, and the task that took it back. */
export function findTakenBack(
  db: Db,
  landed: Pick<LandedBranch, "path" | "target"> & { readonly head: Oid },
): { readonly task: TaskId; readonly undo: TaskId } | undefined {
  const row = sql(db, FIND_TAKEN_BACK).find(landed)
  return row && { task: row["task"] as TaskId, undo: row["undo"] as TaskId }
}

const LIST_LANDED = `
  select landing_repos.base, landing_repos.candidate
  from landings join landing_repos on landing_repos.landing = landings.id
  where landings.task = :task and landings.state = 'landed' and landings.outcome = 'LANDED'
    and landings.undoes is null and landing_repos.name = :name
    and landing_repos.base is not null and landing_repos.candidate is not null
  order by landings.id`

/** The landings of a task in one of its repositories, oldest first. */
export function listLandedOf(
  db: Db,
  { task, name }: { readonly task: TaskId; readonly name: string },
): { readonly base: Oid; readonly candidate: Oid }[] {
  return sql(db, LIST_LANDED).list({ task, name }) as { base: Oid; candidate: Oid }[]
}
