/** Lists the latest landing of every task. */
import type { TaskId } from "../../core/ids.ts"
import type { Db } from "../open.ts"
import { readEach, type Unreadable } from "../readable.ts"
import { sql } from "../sql.ts"
import { decodeLanding, LANDING_COLUMNS, LANDING_REPO_COLUMNS, type Landing } from "./row.ts"

const LATEST = "(select max(id) from landings group by task)"
const LIST = `select ${LANDING_COLUMNS} from landings where id in ${LATEST}`
const REPOS = `
  select landing, ${LANDING_REPO_COLUMNS} from landing_repos where landing in ${LATEST} order by rowid`

/** Like findLandingOfTask, by task; leaves out tasks that never landed, or cannot be read. */
export function listLatestLandings(
  db: Db,
  tell: (unreadable: Unreadable) => void = () => {},
): ReadonlyMap<TaskId, Landing> {
  const repos = Map.groupBy(sql(db, REPOS).list(), (repo) => repo["landing"])
  const landings = readEach(
    sql(db, LIST).list(),
    (row) => decodeLanding(row, (repos.get(row["id"]) ?? []).map(withoutLanding)),
    ({ task }, error) => tell({ task: task as TaskId, error }),
  )
  return new Map(landings.map((landing) => [landing.task, landing]))
}

const withoutLanding = ({ landing: _, ...repo }: Readonly<Record<string, unknown>>) => repo
