/** Groups of tasks with the same prompt: a person picks one, and it lands. */
import type { TaskId } from "../../base/ids.ts"
import type { Db } from "../../kernel/store/open.ts"
import { sql } from "../../kernel/store/sql.ts"

const ADD = "insert into alternatives (task, pick) values (:task, :pick) on conflict do nothing"
const LIST = `
  select task from alternatives
  where pick = (select pick from alternatives where task = :task) order by task`

/** Call it in the transaction that adds the tasks. Safe to repeat. */
export function addAlternatives(db: Db, tasks: readonly TaskId[]): void {
  const [pick = null] = tasks
  for (const task of tasks) sql(db, ADD).run({ task, pick })
}

/** The tasks of its group, itself included; empty if it has none. */
export function listAlternatives(db: Db, task: TaskId): TaskId[] {
  return sql(db, LIST)
    .list({ task })
    .map((row) => row["task"] as TaskId)
}
