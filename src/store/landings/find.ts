/** Finds one landing. */
import type { LandingId, TaskId } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"
import { decodeLanding, LANDING_COLUMNS, LANDING_REPO_COLUMNS, type Landing } from "./row.ts"

const FIND = `select ${LANDING_COLUMNS} from landings where id = :id`
const LATEST = "select max(id) as id from landings where task = :task"
const REPOS = `
  select ${LANDING_REPO_COLUMNS} from landing_repos where landing = :id order by rowid`

export function findLanding(db: Db, id: LandingId): Landing | undefined {
  const row = sql(db, FIND).find({ id })
  return row && decodeLanding(row, sql(db, REPOS).list({ id }))
}

/** The latest landing of `task`, in any state. */
export function findLandingOfTask(db: Db, task: TaskId): Landing | undefined {
  const { id } = sql(db, LATEST).read({ task })
  return id === null ? undefined : findLanding(db, id as LandingId)
}
