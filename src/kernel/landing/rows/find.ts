/** Finds landings. */
import { assert } from "../../../base/assert.ts"
import type { LandingId, TaskId } from "../../../base/ids.ts"
import type { Db } from "../../store/open.ts"
import { readEach, type Unreadable } from "../../store/read-each.ts"
import { sql } from "../../store/sql.ts"
import { decodeLanding, LANDING_COLUMNS, LANDING_REPO_COLUMNS, type Landing } from "./row.ts"

const FIND = `select ${LANDING_COLUMNS} from landings where id = :id`
const LATEST = "select max(id) as id from landings where task = :task"
const REPOS = `
  select ${LANDING_REPO_COLUMNS} from landing_repos where landing = :id order by rowid`

export function findLanding(db: Db, id: LandingId): Landing | undefined {
  const row = sql(db, FIND).find({ id })
  return row && decodeLanding(row, sql(db, REPOS).list({ id }))
}

export function findLandingOfTask(db: Db, task: TaskId): Landing | undefined {
  const { id } = sql(db, LATEST).read({ task })
  return id === null ? undefined : findLanding(db, id as LandingId)
}

const LIST = `
  select id from landings
  where undoes = :id and state not in ('failed', 'cancelled') order by id`

export function listUndoing(db: Db, id: LandingId): Landing[] {
  return sql(db, LIST)
    .list({ id })
    .map((row) => {
      const landing = findLanding(db, row["id"] as LandingId)
      assert(landing, "a landing that was selected is there")
      return landing
    })
}

const EACH_LATEST = "(select max(id) from landings group by task)"
const LIST_LATEST = `select ${LANDING_COLUMNS} from landings where id in ${EACH_LATEST}`
const REPOS_OF_LATEST = `
  select landing, ${LANDING_REPO_COLUMNS} from landing_repos where landing in ${EACH_LATEST} order by rowid`

/** Like findLandingOfTask, by task; leaves out tasks that never landed, or cannot be read. */
export function listLatestLandings(
  db: Db,
  tell: (unreadable: Unreadable) => void = () => {},
): ReadonlyMap<TaskId, Landing> {
  const repos = Map.groupBy(sql(db, REPOS_OF_LATEST).list(), (repo) => repo["landing"])
  const landings = readEach(
    sql(db, LIST_LATEST).list(),
    (row) => decodeLanding(row, (repos.get(row["id"]) ?? []).map(withoutLanding)),
    ({ task }, error) => tell({ task: task as TaskId, error }),
  )
  return new Map(landings.map((landing) => [landing.task, landing]))
}

const withoutLanding = ({ landing: _, ...repo }: Readonly<Record<string, unknown>>) => repo
