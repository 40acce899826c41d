/** Lists all tasks, and counts them. */
import type { Db } from "../open.ts"
import { sql } from "../sql.ts"
import { decodeTask, TASK_COLUMNS, TASK_REPO_COLUMNS, type Task } from "./row.ts"

const LIST = `select ${TASK_COLUMNS} from tasks order by id`
const REPOS = `select ${TASK_REPO_COLUMNS} from task_repos order by rowid`
const COUNT = "select state, count(*) as n from tasks group by state order by state"

/** Every task, newest last. */
export function listTasks(db: Db): Task[] {
  const repos = Map.groupBy(sql(db, REPOS).list(), (repo) => repo["task"])
  return sql(db, LIST)
    .list()
    .map((row) => decodeTask(row, repos.get(row["id"]) ?? []))
}

/** How many tasks are in each state; a state without any is absent. */
export function countTasks(db: Db): Record<string, number> {
  const rows = sql(db, COUNT).list()
  return Object.fromEntries(rows.map(({ state, n }) => [state, n]))
}
