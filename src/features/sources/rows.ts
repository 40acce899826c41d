/** Items of sources that this home has claimed, until they are reported. */
import type { TaskId } from "../../base/ids.ts"
import type { Db } from "../../kernel/store/open.ts"
import { type SqlRow, sql } from "../../kernel/store/sql.ts"
import type { ItemResult, ItemState } from "./rules/source-item.ts"

export type SourceItem = {
  readonly source: string
  readonly item: string
  readonly nonce: string
  /** Null until there is a task, and after it is deleted. */
  readonly task: TaskId | null
  readonly state: ItemState
  readonly result: ItemResult | null
  /** The number of the event of the last stop that has a comment at the source. */
  readonly noted: number
  readonly updatedAtMs: number
}

const COLUMNS = "source, item, nonce, task, state, result, noted, updated_at as updatedAtMs"
const ADD = `
  insert into source_items (source, item, nonce, state, updated_at)
  values (:source, :item, :nonce, 'claiming', :nowMs)
  returning ${COLUMNS}`

/** Records that an item will be claimed, before anything happens at the source. */
export function addSourceItem(
  db: Db,
  { source, item, nonce }: Pick<SourceItem, "source" | "item" | "nonce">,
  nowMs: number,
): SourceItem {
  return decode(sql(db, ADD).read({ source, item, nonce, nowMs }))
}

type Change = { readonly task: TaskId } | { readonly result: ItemResult } | { readonly ended: true }

const RECORD = `
  update source_items
  set state = :to, task = coalesce(:task, task), result = coalesce(:result, result), updated_at = :nowMs
  where nonce = :nonce and state = :from`

/** @returns false if the row is in another state: claiming → working → reporting → ended. */
export function recordSourceItem(db: Db, nonce: string, change: Change, nowMs: number): boolean {
  const [from, to] =
    "task" in change
      ? ["claiming", "working"]
      : "result" in change
        ? ["working", "reporting"]
        : ["reporting", "ended"]
  const task = "task" in change ? change.task : null
  const result = "result" in change ? JSON.stringify(change.result) : null
  return sql(db, RECORD).run({ nonce, from, to, task, result, nowMs }) === 1
}

const SET_NOTED = "update source_items set noted = :noted where nonce = :nonce"

/** Records a comment on a stop. @param noted the number of its event. */
export function recordNoted(db: Db, nonce: string, noted: number): void {
  sql(db, SET_NOTED).run({ nonce, noted })
}

const DROP = "delete from source_items where nonce = :nonce"

/** Forgets an item, which may then be claimed again. */
export function dropSourceItem(db: Db, nonce: string): void {
  sql(db, DROP).run({ nonce })
}

const LIST = `select ${COLUMNS} from source_items order by rowid`
const FIND_OF_TASK = `select ${COLUMNS} from source_items where task = :task`

/** Oldest first. */
export function listSourceItems(db: Db): SourceItem[] {
  return sql(db, LIST).list().map(decode)
}

export function findItemOfTask(db: Db, task: TaskId): SourceItem | undefined {
  const row = sql(db, FIND_OF_TASK).find({ task })
  return row && decode(row)
}

const decode = ({ result, ...rest }: SqlRow): SourceItem =>
  ({ ...rest, result: result === null ? null : JSON.parse(result as string) }) as SourceItem
