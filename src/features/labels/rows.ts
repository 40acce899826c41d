/** The labels of tasks. */
import type { TaskId } from "../../base/ids.ts"
import { appendEvent } from "../../kernel/store/events.ts"
import type { Db } from "../../kernel/store/open.ts"
import { sql, transaction } from "../../kernel/store/sql.ts"
import type { LabelChange } from "./wire.ts"

export type Labelled = { readonly label: string; readonly sinceMs: number }

const OF_TASK = `
  select label, since as sinceMs from labels where task = :task and is_removed = 0 order by label`

/** In the order of the alphabet. */
export const listLabels = (db: Db, task: TaskId): Labelled[] =>
  sql(db, OF_TASK).list({ task }) as Labelled[]

const OF_ALL =
  "select task, label, since as sinceMs from labels where is_removed = 0 order by label"

/** The labels of each task that has some. */
export const listAllLabels = (db: Db): ReadonlyMap<TaskId, readonly Labelled[]> =>
  Map.groupBy(sql(db, OF_ALL).list() as (Labelled & { task: TaskId })[], ({ task }) => task)

const SET = `
  insert into labels (task, label, is_removed, since) values (:task, :label, :isRemoved, :nowMs)
  on conflict do update set is_removed = excluded.is_removed, since = excluded.since
  where is_removed <> excluded.is_removed`

/** Adds labels, then removes others, with one event if that changes something. */
export const changeLabels = (db: Db, task: TaskId, change: LabelChange, nowMs: number): void =>
  noting(db, task, nowMs, () => {
    for (const label of change.add) sql(db, SET).run({ task, label, isRemoved: 0, nowMs })
    for (const label of change.remove) sql(db, SET).run({ task, label, isRemoved: 1, nowMs })
  })

const GIVE = `
  insert into labels (task, label, since) values (:task, :label, :nowMs) on conflict do nothing`

/** Adds the labels that the task never had. */
export const giveLabels = (db: Db, task: TaskId, labels: readonly string[], nowMs: number): void =>
  noting(db, task, nowMs, () => {
    for (const label of labels) sql(db, GIVE).run({ task, label, nowMs })
  })

function noting(db: Db, task: TaskId, nowMs: number, change: () => void): void {
  const names = () => listLabels(db, task).map(({ label }) => label)
  transaction(db, () => {
    const before = names().join("\n")
    change()
    const labels = names()
    if (labels.join("\n") === before) return
    appendEvent(db, { type: "task.labelled", task, data: { labels } }, nowMs)
  })
}
