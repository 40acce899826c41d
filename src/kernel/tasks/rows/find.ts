/** Finds, lists and counts tasks. */
import type { TaskId } from "../../../base/ids.ts"
import type { Db } from "../../store/open.ts"
import { readEach, type Unreadable } from "../../store/read-each.ts"
import { sql } from "../../store/sql.ts"
import type { TaskState } from "../rules.ts"
import { decodeTask, TASK_COLUMNS, TASK_REPO_COLUMNS, type Task } from "./row.ts"

const FIND = `select ${TASK_COLUMNS} from tasks where id = :id`
const REPOS = `select ${TASK_REPO_COLUMNS} from task_repos where task = :id order by rowid`

/** @param id null finds no task. */
export function findTask(db: Db, id: TaskId | null): Task | undefined {
  const row = sql(db, FIND).find({ id })
  return row && decodeTask(row, sql(db, REPOS).list({ id }))
}

const LIST = `select ${TASK_COLUMNS} from tasks order by id`
const ALL_REPOS = `select ${TASK_REPO_COLUMNS} from task_repos order by rowid`
/** A task that a person drives needs no daemon until the person asks for something. */
const DRIVEN = `
  select distinct state from tasks where agent is not null or state <> 'working'`
const COUNT = "select state, count(*) as n from tasks group by state order by state"

/** Every task that can be read, newest last. @param tell receives the others. */
export function listTasks(db: Db, tell: (unreadable: Unreadable) => void = () => {}): Task[] {
  const repos = Map.groupBy(sql(db, ALL_REPOS).list(), (repo) => repo["task"])
  return readEach(
    sql(db, LIST).list(),
    (row) => decodeTask(row, repos.get(row["id"]) ?? []),
    ({ id }, error) => tell({ task: id as TaskId, error }),
  )
}

/** The states of the tasks that the daemon drives. */
export function listDrivenStates(db: Db): readonly TaskState[] {
  return sql(db, DRIVEN)
    .list()
    .map(({ state }) => state as TaskState)
}

/** The number of tasks in each state; states without any are absent. */
export function countTasks(db: Db): Record<string, number> {
  const rows = sql(db, COUNT).list()
  return Object.fromEntries(rows.map(({ state, n }) => [state, n]))
}
