/** Lists all tasks with the columns of one line each, for a fast list. */
import type { TaskId } from "../../../base/ids.ts"
import type { Landing } from "../../landing/rows/row.ts"
import type { Db } from "../../store/open.ts"
import { readEach, type Unreadable } from "../../store/read-each.ts"
import { type SqlRow, sql } from "../../store/sql.ts"
import type { Action } from "../rules/action.ts"
import { type Actionable, offeredActions } from "../rules/transitions.ts"
import { TO_CLEAN } from "./list-due.ts"
import { decodeJson, decodeReason, decodeReturn, type Task } from "./row.ts"

export type TaskLine = Pick<Task, "id" | "title" | "agent" | "standIn" | "state" | "reason"> &
  Pick<
    Task,
    "workItem" | "parent" | "reviewOf" | "strategy" | "createdAtMs" | "updatedAtMs" | "deletion"
  > & {
    /** The latest landing while the task is merging; null otherwise. */
    readonly landing: Pick<Landing, "id" | "state" | "outcome" | "reason" | "sinceMs"> | null
    /** The question of its agent; null without one. */
    readonly question: string | null
    /** The beginning of its last action; null for a finished task. */
    readonly last: string | null
    /** The cost of the turns whose cost is known; null if none is. */
    readonly costUsd: number | null
    /** The number of its latest turn; 0 before the first. */
    readonly turns: number
    /** The task is complete, and its work is kept without landing. */
    readonly kept: boolean
    /** The actions that are possible now. */
    readonly can: readonly Action[]
    /** Names of its repositories. */
    readonly repos: readonly string[]
  }

/** Only a person can change such a task, and every change is an event. */
const FINISHED = `
  state in ('complete', 'cancelled') and deletion is null and not (${TO_CLEAN})
  and not exists (select 1 from questions
    where questions.task = tasks.id and answer is null and closed_at is null)`

const LIST = `
  select tasks.id, title, agent, stand_in as standIn, parent, review_of as reviewOf, work_item as workItem, strategy, tasks.state, reason_code as reasonCode,
    reason_text as reasonText, tasks.created_at as createdAtMs, tasks.updated_at as updatedAtMs, deletion, land, attached, stuck_in, paused_in, landings.id as landingId, landings.state as landingState, landings.outcome,
    substr(landings.reason, 1, 200) as landingReason, landings.since as landingSinceMs,
    (select sum(json_extract(usage, '$.costUsd')) from turns where turns.task = tasks.id) as costUsd,
    coalesce((select max(n) from turns where turns.task = tasks.id), 0) as turns,
    case when tasks.state <> 'cancelled' then
      (select text from questions where questions.task = tasks.id and answer is null and closed_at is null
        order by questions.id limit 1) end as question,
    case when tasks.state not in ('complete', 'cancelled') then
      (select substr(text, 1, 200) from log_lines where log_lines.task = tasks.id and kind <> 'notice'
          and (kind <> 'output' or call is null)
        order by seq desc limit 1) end as last,
    tasks.state = 'complete' and land = 'none' and strategy = 'git_worktree' and review_of is null
      and coalesce(reason_code, '') <> 'no_changes'
      and exists (select 1 from task_repos where task_repos.task = tasks.id and worktree is not null)
      and not exists (select 1 from landings where landings.task = tasks.id) as kept,
    case when tasks.state not in ('complete', 'cancelled') then
      (select state from landings where task = tasks.id order by id desc limit 1) end as latestState,
    exists (select 1 from task_repos where task = tasks.id and worktree is not null) as hasWorktree,
    (select json_group_array(name) from (select name from task_repos where task = tasks.id order by rowid)) as repos
  from tasks left join landings
    on tasks.state = 'merging' and landings.id = (select max(id) from landings where task = tasks.id)`
/** Unfinished tasks, and those above and below them: a list shows them together. */
const UNFINISHED = `
  with recursive unfinished (id) as (
    select id from tasks where not (${FINISHED})
    union select tasks.parent from tasks join unfinished using (id) where tasks.parent is not null
    union select tasks.id from tasks join unfinished on tasks.parent = unfinished.id)
  select json_group_array(id) as ids from unfinished`
const OF_IDS = "where tasks.id in (select value from json_each(:ids))"
const LATEST = `select tasks.id from tasks where tasks.id < :before
  and tasks.id not in (select value from json_each(:ids)) order by tasks.id desc limit :finished`
const RECENT = `${OF_IDS} or tasks.id in (${LATEST})`
const EARLIER = `where tasks.id in (${LATEST})`

export type LinesQuery = {
  /** Only these tasks. */
  readonly ids?: readonly TaskId[] | undefined
  /** Only so many finished tasks, the newest, and every other task, and those above and below it. */
  readonly finished?: number | undefined
  /** With `finished`: only finished tasks that are older than this one. */
  readonly before?: number | undefined
}

/** Every task that is asked for and can be read, newest last. @param tell receives the others. */
export function listTaskLines(
  db: Db,
  tell: (unreadable: Unreadable) => void = () => {},
  query: LinesQuery = {},
): TaskLine[] {
  const rows = listRows(db, query)
  return readEach(rows, decodeTaskLine, ({ id }, error) => tell({ task: id as TaskId, error }))
}

function listRows(db: Db, { ids, finished, before }: LinesQuery): SqlRow[] {
  const list = (where: string, asked = {}) =>
    sql(db, `${LIST} ${where} order by tasks.id`).list(asked)
  if (ids) return list(OF_IDS, { ids: JSON.stringify(ids) })
  if (finished === undefined) return list("")
  const unfinished = sql(db, UNFINISHED).read()["ids"]
  const asked = { ids: unfinished, finished, before: before ?? Number.MAX_SAFE_INTEGER }
  return list(before === undefined ? RECENT : EARLIER, asked)
}

function decodeTaskLine(row: SqlRow): TaskLine {
  const {
    reasonCode,
    reasonText,
    landingId,
    landingState,
    outcome,
    landingReason,
    landingSinceMs,
    stuck_in: _,
    paused_in: __,
    land,
    attached,
    hasWorktree,
    latestState,
    ...rest
  } = row
  const repos = hasWorktree === 1 ? undefined : []
  const returnsTo = decodeReturn(row)
  const decides: object = { ...rest, land, landingState: latestState, returnsTo, repos }
  const reason = decodeReason(reasonCode, reasonText)
  const landing =
    landingState === null
      ? null
      : {
          id: landingId,
          state: landingState,
          outcome,
          reason: landingReason,
          sinceMs: landingSinceMs,
        }
  const line: object = {
    ...rest,
    standIn: decodeJson(row["standIn"]),
    kept: rest["kept"] === 1,
    can: offeredActions({ ...(decides as Actionable), attached }),
    repos: JSON.parse(rest["repos"] as string),
    reason,
    landing,
  }
  return line as TaskLine
}
